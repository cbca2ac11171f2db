/** Refuse: a service whose port is closed although its process lives. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault } from './fault.ts';
import { onceOut } from './outage.ts';

export function refuse({ afterMs, forMs }: TargetOptionsOf<'refuse'>): Fault {
  return { refusal: onceOut(afterMs, forMs) };
}
