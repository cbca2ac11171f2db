/** Run options: the command line of `run`, turned into what an experiment needs. */
import { UsageError } from '../patterns/usage-error.ts';
import { givenOptions } from './given-options.ts';
import { listText } from './list-text.ts';
import { parseStackList, type WantedStack } from './measured-stack.ts';
import type { RateLimitPlan } from './rate-limit-plan.ts';
import { type Flags, openLoopDefaults, readFlags } from './run-flags.ts';
import { isExternal, type Target } from './target-plan.ts';
import { mebibyte } from './units.ts';

export type LoadShape =
  | { readonly kind: 'open'; readonly ratePerS: number; readonly arrivals: 'constant' | 'poisson' }
  | { readonly kind: 'closed'; readonly vus: number; readonly thinkMs: number };

export interface RunOptions {
  readonly stacks: readonly WantedStack[];
  readonly target: Target;
  readonly load: LoadShape;
  /** Null: the gateway turns nobody away. */
  readonly rateLimit: RateLimitPlan | null;
  readonly durationMs: number;
  readonly warmupMs: number;
  readonly trials: number;
  readonly seed: number;
  /** Folder that holds the runs. */
  readonly out: string;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether the report, charts and histogram files are written beside the result. */
  readonly report: boolean;
  /** Whether the story of each order is written to `orders.csv`. */
  readonly orders: boolean;
  /** 0: any free port. */
  readonly gatewayPort: number;
  readonly targetPort: number;
  readonly loadThreads: number;
  /** Requests that may be under way at once; beyond it an arrival is skipped and counted. */
  readonly inFlightMax: number;
  /** For the result: see `givenOptions`. */
  readonly given: Record<string, string | number | boolean | string[] | null>;
}

/** What `parseRunOptions` found: options to run with, or a text to print (help, version, the list of layers). */
export type RunRequest =
  | { readonly kind: 'run'; readonly options: RunOptions }
  | { readonly kind: 'print'; readonly text: string };

const thinkDefaultMs = 1000;

/** Parses the arguments behind `run`. Throws a UsageError, one line, for anything that is not allowed. */
export function parseRunOptions(argv: readonly string[]): RunRequest {
  const flags = readFlags(argv);
  if (typeof flags === 'string') return { kind: 'print', text: flags };
  if (flags.list === true) return { kind: 'print', text: listText() };
  return { kind: 'run', options: optionsOf(flags) };
}

function optionsOf(flags: Flags): RunOptions {
  if (flags.swap > 0 && flags.leakKind !== 'rss') {
    throw new UsageError('--swap belongs to a leak of Buffers: give --leak-kind rss too, or --swap 0');
  }
  if (flags.gatewayPort !== 0 && flags.gatewayPort === flags.targetPort) {
    throw new UsageError(
      `--gateway-port and --target-port are both ${flags.targetPort}; allowed: two ports, or 0`,
    );
  }
  const load = loadShapeOf(flags);
  const target = targetOf(flags);
  return {
    stacks: parseStackList(flags.pattern, flags.set),
    target,
    load,
    rateLimit: rateLimitOf(flags),
    durationMs: flags.duration,
    warmupMs: flags.warmup,
    trials: flags.trials,
    seed: flags.seed,
    out: flags.out,
    json: flags.json === true,
    quiet: flags.quiet === true,
    report: flags.report,
    orders: flags.orders === true,
    gatewayPort: flags.gatewayPort,
    targetPort: flags.targetPort,
    loadThreads: flags.loadThreads,
    inFlightMax: flags.inFlightMax,
    given: givenOptions(flags, load, target),
  };
}

function targetOf(flags: Flags): Target {
  const { target } = flags;
  if (isExternal(target)) return target;
  const leaks = target.name === 'leaky';
  return {
    fault: target,
    seed: flags.seed,
    keyRequired: flags.requireKey === true,
    leak: flags.leakKind,
    leakBytes: leaks ? flags.leak : 0,
    idleLeakBytesPerS: leaks ? flags.idleLeak : 0,
    heapBytes: flags.heap * mebibyte,
    memoryLimitBytes: flags.memoryLimit,
    swapBytes: flags.swap,
    swapBytesPerS: flags.swapRate,
    down: flags.down,
    restart: flags.restartDelay,
  };
}

function loadShapeOf(flags: Flags): LoadShape {
  if (flags.vus === undefined) {
    if (flags.think !== undefined) throw new UsageError('--think belongs to a closed loop: give --vus too');
    return {
      kind: 'open',
      ratePerS: flags.rate ?? openLoopDefaults.ratePerS,
      arrivals: flags.arrivals ?? openLoopDefaults.arrivals,
    };
  }
  for (const name of ['rate', 'arrivals'] as const) {
    if (flags[name] !== undefined) {
      throw new UsageError(
        `--${name} belongs to an open loop and --vus to a closed one: give one of the two`,
      );
    }
  }
  return { kind: 'closed', vus: flags.vus, thinkMs: flags.think ?? thinkDefaultMs };
}

function rateLimitOf({ rateLimit, redis, rateLimitFail }: Flags): RateLimitPlan | null {
  if (rateLimit === undefined) {
    if (redis !== undefined) throw new UsageError('--redis counts for rate limits: give --rate-limit too');
    if (rateLimitFail !== undefined) {
      throw new UsageError(
        '--rate-limit-fail has no effect without limits: give --rate-limit and --redis too',
      );
    }
    return null;
  }
  if (redis === undefined) {
    if (rateLimitFail !== undefined) {
      throw new UsageError(
        '--rate-limit-fail has no effect in memory, which does not fail: give --redis too',
      );
    }
    return { policies: rateLimit.policies, redis: null };
  }
  return {
    policies: rateLimit.policies,
    redis: { address: redis, keyPrefix: 'wavetank:', failOpen: rateLimitFail !== 'closed' },
  };
}
