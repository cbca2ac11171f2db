/** Metrics: the figures by which stacks are compared, and where each comes from. Pure. */
import { countWithin, decodeHistogram } from './histogram.ts';
import { fixedText, msText, numberText } from './number-text.ts';
import type { Distribution, Result, Trial } from './result.ts';
import type { StackSummary } from './summary.ts';

export interface Metric {
  /** Without the unit: `order response p95`. */
  readonly name: string;
  /** `ms`, `%`, `orders/s`; empty: a plain number. */
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** Digits after the point; null: as many as tell something about a figure of its size. */
  readonly decimals: number | null;
  /** Durations differ by factors and are averaged over trials on a logarithmic scale, all else on a linear one. */
  readonly scale: 'log' | 'linear';
  /** One trial's figure, in the unit; null: too few samples, or nothing it could be a share of. */
  readonly ofTrial: (trial: Trial, slaUs: number) => number | null;
  /** The same of all valid trials put together. */
  readonly ofStack: (stack: StackSummary) => number | null;
  /** Whether the run knows it at all. Absent: every run does. */
  readonly isMeasured?: (stack: StackSummary) => boolean;
  /** What the idle canary showed at the same percentile, in the unit: the noise of the host. Absent: none is known. */
  readonly noiseOfStack?: (stack: StackSummary) => number | null;
}

type Percentile = 'p50' | 'p95' | 'p99';

function durationMetric(
  name: string,
  percentile: Percentile,
  ofTrial: (trial: Trial) => Distribution | undefined,
  ofStack: (stack: StackSummary) => Distribution | undefined,
): Metric {
  return {
    name: `${name} ${percentile}`,
    unit: 'ms',
    better: 'lower',
    decimals: null,
    scale: 'log',
    ofTrial: (trial) => msOf(ofTrial(trial)?.[percentile] ?? null),
    ofStack: (stack) => msOf(ofStack(stack)?.[percentile] ?? null),
    noiseOfStack: (stack) => msOf(stack.canaryDelayUs[percentile]),
  };
}

const order = (percentile: Percentile) =>
  durationMetric(
    'order response',
    percentile,
    (trial) => trial.orders.responseUs,
    (stack) => stack.responseUs,
  );

const percentOf = (part: number, whole: number) => (whole === 0 ? null : (part / whole) * 100);

const hasUsers = ({ users }: StackSummary) => users !== null;

const hasPayments = ({ payments }: StackSummary) => payments !== null;

const percent = { unit: '%', scale: 'linear' } as const;

/** In the order in which they are shown. */
export const metrics = {
  errorRate: {
    ...percent,
    name: 'error rate',
    better: 'lower',
    decimals: 1,
    ofTrial: ({ orders }) => percentOf(orders.offered - orders.confirmed, orders.offered),
    ofStack: ({ offered, confirmed }) => percentOf(offered - confirmed, offered),
  },
  /** Orders confirmed within the SLA, of all that were offered. */
  withinSla: {
    ...percent,
    name: 'orders within SLA',
    better: 'higher',
    decimals: 1,
    ofTrial: ({ orders, histograms }, slaUs) =>
      percentOf(countWithin(decodeHistogram(histograms.orders.confirmed), slaUs), orders.offered),
    ofStack: ({ offered, withinSla }) => percentOf(withinSla, offered),
  },
  /** Confirmed orders. */
  goodput: {
    name: 'goodput',
    unit: 'orders/s',
    better: 'higher',
    decimals: null,
    scale: 'linear',
    ofTrial: ({ orders }) => orders.goodputPerS,
    ofStack: ({ goodputPerS }) => goodputPerS,
  },
  /** Orders answered, whatever the answer. */
  throughput: {
    name: 'throughput',
    unit: 'answers/s',
    better: 'higher',
    decimals: null,
    scale: 'linear',
    ofTrial: ({ orders }) => orders.throughputPerS,
    ofStack: ({ throughputPerS }) => throughputPerS,
  },
  orderP50: order('p50'),
  orderP95: order('p95'),
  orderP99: order('p99'),
  confirmedP95: durationMetric(
    'confirmed only',
    'p95',
    (trial) => trial.orders.confirmedUs,
    (stack) => stack.confirmedUs,
  ),
  bystanderP99: durationMetric(
    'bystander response',
    'p99',
    (trial) => trial.bystander.responseUs,
    (stack) => stack.bystanderUs,
  ),
  usersP99: {
    ...durationMetric(
      'user service response',
      'p99',
      (trial) => trial.users?.responseUs,
      (stack) => stack.users?.responseUs,
    ),
    isMeasured: hasUsers,
  },
  usersErrorRate: {
    ...percent,
    name: 'user service error rate',
    better: 'lower',
    decimals: 1,
    ofTrial: ({ users }) => users && percentOf(users.offered - users.confirmed, users.offered),
    ofStack: ({ users }) => users && percentOf(users.offered - users.confirmed, users.offered),
    isMeasured: hasUsers,
  },
  loopDelayP99: durationMetric(
    'gateway loop delay',
    'p99',
    (trial) => trial.eventLoop.delayUs,
    (stack) => stack.loopDelayUs,
  ),
  utilization: {
    ...percent,
    name: 'gateway utilisation',
    better: 'lower',
    decimals: 1,
    ofTrial: ({ eventLoop }) => eventLoop.utilization * 100,
    ofStack: ({ utilization }) => utilization * 100,
  },
  amplification: {
    name: 'attempts per order',
    unit: '',
    better: 'lower',
    decimals: null,
    scale: 'linear',
    ofTrial: ({ upstream }) => upstream.amplification,
    ofStack: ({ amplification }) => amplification,
  },
  /** Of the orders that were charged at all. */
  chargedTwice: {
    ...percent,
    name: 'charged twice',
    better: 'lower',
    decimals: 2,
    ofTrial: ({ payments }) => payments && percentOf(payments.duplicates, payments.charged),
    ofStack: ({ payments }) => payments && percentOf(payments.duplicates, payments.charged),
    isMeasured: hasPayments,
  },
  /** Of the orders that were charged at all. */
  chargedNotConfirmed: {
    ...percent,
    name: 'charged but not confirmed',
    better: 'lower',
    decimals: 1,
    ofTrial: ({ payments }) => payments && percentOf(payments.phantoms, payments.charged),
    ofStack: ({ payments }) => payments && percentOf(payments.phantoms, payments.charged),
    isMeasured: hasPayments,
  },
} as const satisfies Record<string, Metric>;

export type MetricKey = keyof typeof metrics;

export const metricKeys = Object.keys(metrics) as MetricKey[];

/** Whether any of the stacks knows the figure. */
export function isMeasured(key: MetricKey, stacks: readonly { readonly summary: StackSummary }[]): boolean {
  const metric: Metric = metrics[key];
  return stacks.some(({ summary }) => metric.isMeasured?.(summary) ?? true);
}

/** The figure with the digits that it deserves, without its unit; a dash for none. */
export function metricText({ unit, decimals }: Metric, value: number | null): string {
  if (value === null) return '-';
  if (unit === 'ms') return msText(value * 1000);
  return decimals === null ? numberText(value) : fixedText(value, decimals);
}

/** The limit by which an order ought to be confirmed, where the run did not say, in ms. */
export const slaDefaultMs = 200;

/** The run's `--sla` in ms. */
export function slaMsOf(result: Result): number {
  const { slaMs } = result.options;
  return typeof slaMs === 'number' ? slaMs : slaDefaultMs;
}

/** At least 1 µs, which is as fine as durations are kept: a ratio needs something to divide by. */
function msOf(us: number | null): number | null {
  return us === null ? null : Math.max(us, 1) / 1000;
}
