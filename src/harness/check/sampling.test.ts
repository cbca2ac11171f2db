import { describe, expect, test } from 'vitest';
import { type CheckMetricKey, checkMetric, type Figures, type ScenarioName } from './check-metrics.ts';
import { parseLimit } from './limit.ts';
import { Sampling, type SamplingPlan, type TimedPair } from './sampling.ts';

const plan = (keys: readonly CheckMetricKey[], more: Partial<SamplingPlan> = {}): SamplingPlan => ({
  question: { effects: new Map(keys.map((key) => [key, checkMetric(key).smallestEffect])), limits: [] },
  scenarios: ['healthy', 'failing'],
  alpha: 0.05,
  budgetMs: 100_000,
  roundsMax: 50,
  ...more,
});

const pair = (scenario: ScenarioName, a: Figures, b: Figures, tookMs = 10_000): TimedPair => ({
  pair: { scenario, discarded: null, a, b, limits: {} },
  tookMs,
});
const wild = (round: number) =>
  pair('healthy', { responseP50: 1 }, { responseP50: round % 2 === 0 ? 3 : 0.3 });
const equal = pair('failing', { errorRate: 50 }, { errorRate: 50 });

describe('what is due', () => {
  test('is every scenario that something is asked of', () => {
    expect(new Sampling(plan(['responseP50'])).due(0)).toEqual(['healthy']);
    const limits = [parseLimit('orders.goodputPerS>=1')];
    const asked = plan([], { question: { effects: new Map(), limits } });
    expect(new Sampling(asked).due(0)).toEqual(['failing']);
  });

  test('leaves out a scenario in which everything is decided', () => {
    const sampling = new Sampling(plan(['responseP50', 'errorRate']));
    for (let round = 1; round <= 4; round++) {
      expect(sampling.due(0)).toEqual(['healthy', 'failing']);
      sampling.add('AB', [wild(round), equal]);
    }
    expect(sampling.judge.decisionOf('errorRate')).toEqual({ verdict: 'same', round: 4 });
    expect(sampling.due(0)).toEqual(['healthy']);
  });

  test('is nothing once everything is decided, but not before three rounds', () => {
    const sampling = new Sampling(plan(['duplicates']));
    const twice = pair('failing', { duplicates: 0 }, { duplicates: 2 });
    sampling.add('AB', [twice]);
    sampling.add('BA', [twice]);
    expect(sampling.due(0)).toEqual(['failing']);
    sampling.add('BA', [twice]);
    expect(sampling.due(0)).toEqual([]);
  });

  test('is nothing that would exceed the budget, except for the first round', () => {
    const sampling = new Sampling(plan(['responseP50', 'errorRate'], { budgetMs: 30_000 }));
    expect(sampling.due(40_000)).toEqual(['healthy', 'failing']);
    expect(sampling.roundsExpected(0)).toBeNull();
    sampling.add('AB', [wild(1), equal]);
    expect(sampling.roundsExpected(0)).toBe(2);
    expect(sampling.roundsExpected(10_000)).toBe(2);
    expect(sampling.roundsExpected(10_001)).toBe(1);
    expect(sampling.due(10_000)).toEqual(['healthy', 'failing']);
    expect(sampling.due(10_001)).toEqual([]);
  });

  test('is nothing after as many rounds as there may be', () => {
    const sampling = new Sampling(plan(['responseP50'], { roundsMax: 2 }));
    sampling.add('AB', [wild(1)]);
    sampling.add('BA', [wild(2)]);
    expect(sampling.due(0)).toEqual([]);
  });
});

test('a metric that only one of the sides has keeps nothing open', () => {
  const sampling = new Sampling(plan(['errorRate', 'timeToOpen']));
  const noBreaker = pair('failing', { errorRate: 50, timeToOpen: 90 }, { errorRate: 50, timeToOpen: null });
  for (let round = 1; round <= 4; round++) sampling.add('AB', [noBreaker]);
  expect(sampling.due(0)).toEqual([]);
  expect([...sampling.question().effects.keys()]).toEqual(['errorRate']);
});

test('the end brings a last look between the regular ones', () => {
  const sampling = new Sampling(plan(['errorRate']));
  for (let round = 1; round <= 3; round++) sampling.add('AB', [equal]);
  expect(sampling.judge.decisionOf('errorRate')).toBeUndefined();
  sampling.end();
  expect(sampling.judge.decisionOf('errorRate')).toEqual({ verdict: 'same', round: 3 });
});

test('the last round that there may be is looked at once', () => {
  const sampling = new Sampling(plan(['errorRate'], { roundsMax: 4 }));
  for (let round = 1; round <= 4; round++) sampling.add('AB', [equal]);
  expect(sampling.judge.decisionOf('errorRate')).toBeUndefined();
  sampling.end();
  expect(sampling.judge.decisionOf('errorRate')).toEqual({ verdict: 'same', round: 4 });
});
