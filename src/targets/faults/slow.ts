/** Slow: a service whose payments take longer and longer. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';

export function slow(
  { latencyMs, rampMs }: TargetOptionsOf<'slow'>,
  { elapsedMs }: Pick<FaultContext, 'elapsedMs'>,
): Fault {
  return {
    workMs() {
      const sinceMs = elapsedMs();
      if (sinceMs < 0) return 0;
      return sinceMs >= rampMs ? latencyMs : (latencyMs * sinceMs) / rampMs;
    },
  };
}
