/** Given options: the options of a run as they stand in its result, with the unit in the name. */
import { withoutPassword } from './redis-address.ts';
import type { Flags } from './run-flags.ts';
import type { LoadShape, RunOptions } from './run-options.ts';
import { targetText } from './target-options.ts';
import { isExternal, type Target } from './target-plan.ts';

/** All that decides what is measured; where it is written and how much is said does not. */
export function givenOptions(flags: Flags, load: LoadShape, target: Target): RunOptions['given'] {
  return {
    ...(flags.preset === undefined ? {} : { preset: flags.preset }),
    pattern: flags.pattern,
    set: flags.set,
    durationMs: flags.duration,
    warmupMs: flags.warmup,
    ...(load.kind === 'open'
      ? { loop: 'open', ratePerS: load.ratePerS, arrivals: load.arrivals }
      : { loop: 'closed', vus: load.vus, thinkMs: load.thinkMs }),
    rateLimit: flags.rateLimit?.text ?? null,
    ...(flags.redis !== undefined && {
      redis: withoutPassword(flags.redis),
      rateLimitFail: flags.rateLimitFail ?? 'open',
    }),
    trials: flags.trials,
    ...targetOptions(target),
    seed: flags.seed,
    slaMs: flags.sla,
    inFlightMax: flags.inFlightMax,
    loadThreads: flags.loadThreads,
  };
}

/** Of a service that the user runs nothing is known but its address. */
function targetOptions(target: Target): RunOptions['given'] {
  if (isExternal(target)) return { target: target.origin };
  return {
    target: targetText(target.fault),
    requireKey: target.keyRequired,
    heapBytes: target.heapBytes,
    leakBytes: target.leakBytes,
    idleLeakBytesPerS: target.idleLeakBytesPerS,
    leakKind: target.leak,
    memoryLimitBytes: target.memoryLimitBytes,
    swapBytes: target.swapBytes,
    swapBytesPerS: target.swapBytesPerS,
    down: target.down,
    restartDelay: target.restart.kind === 'constant' ? `${target.restart.delayMs}ms` : 'docker',
  };
}
