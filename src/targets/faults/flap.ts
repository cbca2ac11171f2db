/** Flap: a service that comes and goes. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';
import { hangDuring } from './hang.ts';

export function flap(
  { upMs, downMs, how }: TargetOptionsOf<'flap'>,
  context: Pick<FaultContext, 'elapsedMs'>,
): Fault {
  const outage = { firstMs: upMs, lengthMs: downMs, everyMs: upMs + downMs };
  return how === 'hang' ? hangDuring(outage, context) : { refusal: outage };
}
