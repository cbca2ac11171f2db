/**
 * Stall: a service that loses answers, then freezes, then is killed, once. It is what a process goes through that dies
 * in its last garbage collections, at known moments: whoever waits for it when it dies loses at the same instant.
 */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault, FaultContext } from './fault.ts';

export function stall(
  { afterMs, forMs, downMs, lostShare }: TargetOptionsOf<'stall'>,
  { elapsedMs, random }: Pick<FaultContext, 'elapsedMs' | 'random'>,
): Fault {
  const loses = () => elapsedMs() >= 0 && elapsedMs() < afterMs && random() < lostShare;
  return {
    charged: () => (loses() ? 'disconnect' : 'answer'),
    deaths: { firstMs: afterMs, everyMs: Infinity, frozenMs: forMs },
    readyFromMs: afterMs + forMs + downMs,
  };
}
