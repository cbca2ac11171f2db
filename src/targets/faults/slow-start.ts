/** Slow start: a service that is killed every so often, and needs time to become fast again. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';

export function slowStart(
  { everyMs, latencyMs, rampMs }: TargetOptionsOf<'slow-start'>,
  { upMs, restarted }: Pick<FaultContext, 'upMs' | 'restarted'>,
): Fault {
  return {
    deaths: { firstMs: everyMs, everyMs, frozenMs: 0 },
    workMs: () => (restarted ? latencyMs * Math.max(0, 1 - upMs() / rampMs) : 0),
  };
}
