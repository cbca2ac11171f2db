/** Kit: a small but complete record of a check, for tests of what is made from one. */
import { checkMetric, type CheckMetricKey, type ScenarioName } from './check-metrics.ts';
import type { CheckRecord, LimitRecord, MetricRecord, Pair, Round } from './check-record.ts';

/** A metric as the check would record it: decided, the same on both sides, unless told otherwise. */
export function sampleMetric(key: CheckMetricKey, change: Partial<MetricRecord> = {}): MetricRecord {
  const { name, unit, scenario, better, scale, smallestEffect } = checkMetric(key);
  const none = scale === 'ratio' ? 1 : 0;
  const slack = smallestEffect / 4;
  return {
    key,
    name,
    unit,
    scenario,
    better,
    scale,
    smallestEffect,
    rounds: 8,
    a: 10,
    b: 10,
    change: { value: none, low: none - slack, high: none + slack },
    verdict: 'same',
    decidedInRound: 8,
    ...change,
  };
}

/** 9.8 % slower, as a check of a slowed gateway records it. */
export const slowerP50 = sampleMetric('responseP50', {
  a: 0.56,
  b: 0.61,
  change: { value: 1.098, low: 1.081, high: 1.116 },
  verdict: 'worse',
  decidedInRound: 5,
});

export const undecidedP99 = sampleMetric('responseP99', {
  a: 2.31,
  b: 2.4,
  change: { value: 1.04, low: 0.71, high: 1.52 },
  verdict: 'inconclusive',
  decidedInRound: null,
});

export function sampleLimit(change: Partial<LimitRecord> = {}): LimitRecord {
  return {
    text: 'orders.responseUs.p95<=300ms',
    scenario: 'failing',
    limit: 300_000,
    value: 85_400,
    rounds: 8,
    verdict: 'kept',
    ...change,
  };
}

function pairOf(scenario: ScenarioName, discarded: string | null): Pair {
  const figures = scenario === 'healthy' ? { responseP50: 0.56 } : { goodput: 122, timeToOpen: null };
  const limits = scenario === 'failing' ? { [sampleLimit().text]: 85_400 } : {};
  return { scenario, discarded, a: figures, b: figures, limits };
}

/** Eight rounds in ABBA-BAAB order; in the third the host disturbed the healthy pair. */
export const sampleRounds: readonly Round[] = (['AB', 'BA', 'BA', 'AB', 'BA', 'AB', 'AB', 'BA'] as const).map(
  (order, index) => ({
    round: index + 1,
    order,
    pairs: [
      pairOf('healthy', index === 2 ? 'the canary waited 12.4 ms at p99; at most 10 ms are allowed' : null),
      pairOf('failing', null),
    ],
  }),
);

/** Of main against a working tree: four metrics that are the same and a limit that is kept, unless told otherwise. */
export function sampleRecord(change: Partial<CheckRecord> = {}): CheckRecord {
  return {
    schema: 1,
    kind: 'check',
    id: '20260102T030405Z-sample',
    startedAt: '2026-01-02T03:04:05.000Z',
    complete: true,
    command: 'npx wavetank check --against main',
    host: {
      node: 'v20.20.2',
      platform: 'linux x64',
      cpu: 'sample',
      cores: 2,
      memoryBytes: 1e9,
      loadAverage: 0,
      wavetank: '0.1.0',
      commit: null,
    },
    sides: {
      a: { label: 'main', commit: '0123456789ab' },
      b: { label: 'working tree', commit: '456789abcdef' },
    },
    aMeasuredEarlier: false,
    pattern: 'retry+breaker',
    scenarios: [
      { name: 'healthy', flags: '--target healthy --duration 5s' },
      { name: 'failing', flags: '--target leaky --duration 8s' },
    ],
    alpha: 0.05,
    budgetMs: 240_000,
    spent: {
      preparingMs: 6200,
      measuringMs: { healthy: 88_000, failing: 131_000 },
      totalMs: 228_400,
    },
    rounds: [...sampleRounds],
    metrics: [
      sampleMetric('responseP50', { a: 0.56, b: 0.56 }),
      sampleMetric('cpuPerRequest', { a: 412, b: 415 }),
      sampleMetric('goodput', { a: 122, b: 121 }),
      sampleMetric('duplicates', { a: 0, b: 0, change: { value: 0, low: 0, high: 0 } }),
    ],
    limits: [sampleLimit()],
    warnings: [],
    verdict: 'same',
    ...change,
  };
}

/** The sample with a metric that is worse and one that is not decided. */
export const worseRecord: CheckRecord = sampleRecord({
  metrics: [slowerP50, undecidedP99, ...sampleRecord().metrics.slice(1)],
  verdict: 'worse',
});
