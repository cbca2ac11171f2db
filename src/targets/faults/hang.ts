/** Hang: a service that takes payments in and never answers them. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';
import { isOut, type Outage, onceOut } from './outage.ts';

export function hang({ afterMs, forMs }: TargetOptionsOf<'hang'>, context: HangContext): Fault {
  return hangDuring(onceOut(afterMs, forMs), context);
}

type HangContext = Pick<FaultContext, 'elapsedMs'>;

export function hangDuring(outage: Outage, { elapsedMs }: HangContext): Fault {
  return { arrival: () => (isOut(outage, elapsedMs()) ? 'hang' : 'serve') };
}
