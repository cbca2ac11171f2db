/** Restart delay: how long a supervisor waits before it starts a dead service again. */
import type { RestartPolicy } from './target-plan.ts';

/**
 * @param previousMs the delay before the run that has just ended; 0 if it was the first run
 * @param ranMs how long that run lasted, from its start to its death
 */
export function restartDelayMs(policy: RestartPolicy, previousMs: number, ranMs: number): number {
  if (policy.kind === 'constant') return policy.delayMs;
  if (previousMs === 0 || ranMs >= policy.resetAfterMs) return Math.min(policy.firstMs, policy.capMs);
  return Math.min(previousMs * 2, policy.capMs);
}
