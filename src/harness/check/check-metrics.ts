/** Check metrics: the figures that a check compares, each with the smallest change that matters. Pure. */
import type { Trial } from '../result.ts';
import { effectAsHarm, harmOf, type Scale } from './evidence.ts';

/**
 * What a trial is like: all is well; all is well, and the load is as high as it may be; the service loses answers,
 * freezes and is killed at known moments; it leaks until it dies, whenever that is.
 */
export const scenarioNames = ['healthy', 'saturated', 'failing', 'leaking'] as const;

export type ScenarioName = (typeof scenarioNames)[number];

/**
 * Scenarios whose two trials run at the same time, and not one after the other: a duet (Bulej et al., "Duet
 * Benchmarking", ICPE 2020). What the host does then happens to both. Measured on two cores that others share: the
 * ratio of two p50s varies by 3 % between duets, and by 8 % between trials in turn. Where a service fails its timeouts
 * make the figures, not the host; and its restart beside another gateway under load would take twice as long.
 */
export const duets: ReadonlySet<ScenarioName> = new Set(['healthy']);

export interface CheckMetric {
  readonly scenario: ScenarioName;
  /** Without the unit. */
  readonly name: string;
  /** `ms`, `µs`, `ns`, `orders/s`; empty: a plain number. A share of all is `%`. */
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** `ratio`: effects are shares of A's figure. `difference`: effects are in the unit. */
  readonly scale: Scale;
  /** Default of the smallest effect that matters: 0.03 is 3 % with `ratio`. */
  readonly smallestEffect: number;
  /** With `ratio`, what a smaller figure counts as. */
  readonly floor: number;
  /** Whether a figure above 0 is worse at once where the other side has none: chance cannot make it. */
  readonly worseAtOnce: boolean;
  /** Null: this trial has no such figure. */
  readonly ofTrial: (trial: Trial) => number | null;
}

const lower = { better: 'lower', worseAtOnce: false } as const;
const higher = { better: 'higher', worseAtOnce: false } as const;
const ratio = (smallestEffect: number, floor: number) => ({ scale: 'ratio', smallestEffect, floor }) as const;
const difference = (smallestEffect: number) => ({ scale: 'difference', smallestEffect, floor: 0 }) as const;

// Those that are compared of two scenarios.
const orderP95 = {
  scenario: 'failing',
  name: 'order response p95',
  unit: 'ms',
  ...lower,
  ...ratio(0.25, 0.001),
  ofTrial: ({ orders }) => msOf(orders.responseUs.p95),
} as const satisfies CheckMetric;

const goodput = {
  scenario: 'failing',
  name: 'goodput',
  unit: 'orders/s',
  ...higher,
  ...ratio(0.1, 1),
  ofTrial: ({ orders }) => orders.goodputPerS,
} as const satisfies CheckMetric;

const loopDelayP99 = {
  scenario: 'failing',
  name: 'gateway loop delay p99',
  unit: 'ms',
  ...lower,
  ...ratio(0.5, 0.001),
  ofTrial: ({ eventLoop }) => msOf(eventLoop.delayUs.p99),
} as const satisfies CheckMetric;

function whileLeaking(metric: CheckMetric): CheckMetric {
  return { ...metric, scenario: 'leaking', name: `${metric.name}, leaking` };
}

/** In the order in which they are shown. */
export const checkMetrics = {
  responseP50: {
    scenario: 'healthy',
    name: 'order response p50',
    unit: 'ms',
    ...lower,
    ...ratio(0.03, 0.001),
    ofTrial: ({ orders }) => msOf(orders.responseUs.p50),
  },
  responseP99: {
    scenario: 'healthy',
    name: 'order response p99',
    unit: 'ms',
    ...lower,
    ...ratio(0.5, 0.001),
    ofTrial: ({ orders }) => msOf(orders.responseUs.p99),
  },
  cpuPerRequest: {
    scenario: 'healthy',
    name: "gateway's CPU time per request",
    unit: 'µs',
    ...lower,
    ...ratio(0.05, 0.1),
    ofTrial: ({ eventLoop, orders, bystander, users }) =>
      eventLoop.cpuMs === null
        ? null
        : (eventLoop.cpuMs * 1000) / (orders.offered + bystander.offered + (users?.offered ?? 0)),
  },
  stackCost: {
    scenario: 'healthy',
    name: 'cost of a call through the stack',
    unit: 'ns',
    ...lower,
    // A nanosecond in a thousand is nothing to a request; it is there to find what the others cannot.
    ...ratio(0.25, 100),
    ofTrial: ({ upstream }) => upstream.stackCostNs,
  },
  capacity: {
    scenario: 'saturated',
    name: 'highest rate within SLA',
    unit: 'requests/s',
    ...higher,
    ...ratio(0.15, 1),
    // The trial is that of the highest rate that was kept up.
    ofTrial: ({ orders, bystander, users, windowMs }) =>
      ((orders.offered + bystander.offered + (users?.offered ?? 0)) * 1000) / windowMs,
  },
  orderP95,
  goodput,
  errorRate: {
    scenario: 'failing',
    name: 'error rate',
    unit: '%',
    ...lower,
    ...difference(5),
    ofTrial: ({ orders }) => orders.errorRate * 100,
  },
  amplification: {
    scenario: 'failing',
    name: 'attempts per order',
    unit: '',
    ...lower,
    ...difference(0.1),
    ofTrial: ({ upstream }) => upstream.amplification,
  },
  duplicates: {
    scenario: 'failing',
    name: 'orders charged twice',
    unit: '',
    ...lower,
    ...difference(5),
    worseAtOnce: true,
    ofTrial: ({ payments }) => payments?.duplicates ?? null,
  },
  retryCrowd: {
    scenario: 'failing',
    name: 'retries due together',
    unit: '',
    ...lower,
    ...ratio(0.5, 1),
    ofTrial: ({ upstream }) => upstream.retryCrowd,
  },
  loopDelayP99,
  timeToOpen: {
    scenario: 'failing',
    name: 'outage to breaker open',
    unit: 'ms',
    ...lower,
    ...difference(100),
    ofTrial: timeToOpenMsOf,
  },
  timeToRecover: {
    scenario: 'failing',
    name: 'ready to breaker closed',
    unit: 'ms',
    ...lower,
    ...difference(250),
    ofTrial: timeToRecoverMsOf,
  },
  leakingOrderP95: whileLeaking(orderP95),
  leakingGoodput: whileLeaking(goodput),
  leakingLoopDelayP99: whileLeaking(loopDelayP99),
} as const satisfies Record<string, CheckMetric>;

export type CheckMetricKey = keyof typeof checkMetrics;

export const checkMetricKeys = Object.keys(checkMetrics) as readonly CheckMetricKey[];

export function checkMetric(key: CheckMetricKey): CheckMetric {
  return checkMetrics[key];
}

/**
 * Metrics that are compared only where they are asked for: a search takes half a minute for each side and round, and
 * what leaks dies when it pleases, so that some of its figures vary by half.
 */
export const onRequest: ReadonlySet<CheckMetricKey> = new Set<CheckMetricKey>([
  'capacity',
  'leakingOrderP95',
  'leakingGoodput',
  'leakingLoopDelayP99',
]);

/** Every metric of a scenario, of one trial; null: the trial has no such figure. */
export function figuresOf(trial: Trial, scenario: ScenarioName): Figures {
  const keys = checkMetricKeys.filter((key) => checkMetrics[key].scenario === scenario);
  return Object.fromEntries(keys.map((key) => [key, checkMetrics[key].ofTrial(trial)]));
}

export type Figures = Readonly<Partial<Record<CheckMetricKey, number | null>>>;

/** How much worse B is in one round; null: one of the sides has no figure. */
export function harmIn(key: CheckMetricKey, a: Figures, b: Figures): number | null {
  const figureA = a[key] ?? null;
  const figureB = b[key] ?? null;
  return figureA === null || figureB === null ? null : harmOf(figureA, figureB, checkMetrics[key]);
}

/** The smallest effect of a metric as harm. */
export function smallestHarmOf(key: CheckMetricKey, effect: number): number {
  return effectAsHarm(effect, checkMetrics[key].scale);
}

function msOf(us: number | null): number | null {
  return us === null ? null : us / 1000;
}

/**
 * A breaker that slept through the only outage of a window took at least until the service was back. Without such a
 * bound the worst trials would drop out of the comparison.
 */
function timeToOpenMsOf({ breaker, target, windowMs }: Trial): number | null {
  if (breaker === null) return null;
  const outageMs = target?.exits.find(({ atMs }) => atMs >= 0 && atMs < windowMs)?.atMs;
  if (breaker.timeToOpenMs.length > 0 || outageMs === undefined) return meanOf(breaker.timeToOpenMs);
  const backMs = target?.starts.find(({ atMs }) => atMs > outageMs)?.atMs ?? windowMs;
  return Math.min(backMs, windowMs) - outageMs;
}

/** A breaker that is still open when the window ends has taken at least until then. */
function timeToRecoverMsOf({ breaker, target, windowMs }: Trial): number | null {
  if (breaker === null) return null;
  const backMs = target?.starts.findLast(({ atMs }) => atMs >= 0 && atMs < windowMs)?.atMs;
  if (breaker.timeToRecoverMs.length > 0 || backMs === undefined) return meanOf(breaker.timeToRecoverMs);
  const state = breaker.transitions.findLast(({ atMs }) => atMs <= windowMs)?.to ?? 'closed';
  return state === 'closed' ? null : windowMs - backMs;
}

/** Null for none. */
function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
