/** Flaky: a service that fails a share of its payments. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';

export function flaky(
  { share }: TargetOptionsOf<'flaky'>,
  { elapsedMs, random }: Pick<FaultContext, 'elapsedMs' | 'random'>,
): Fault {
  return { arrival: () => (elapsedMs() >= 0 && random() < share ? 'fail' : 'serve') };
}
