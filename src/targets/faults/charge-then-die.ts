/** Charge, then die: a service that charges, and whose connection is gone before the answer. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';

export function chargeThenDie(
  { share }: TargetOptionsOf<'charge-then-die'>,
  { elapsedMs, random }: Pick<FaultContext, 'elapsedMs' | 'random'>,
): Fault {
  return { charged: () => (elapsedMs() >= 0 && random() < share ? 'disconnect' : 'answer') };
}
