import { expect, it } from 'vitest';
import { sampleResult, sampleTrial } from '../trial.test.kit.ts';
import { caveats, plotLines } from './plot-line.ts';

const { histograms } = sampleTrial(1000);
const before = sampleTrial(1000, { users: null, histograms: { ...histograms, users: null } });
const old = { source: 'old', result: sampleResult({ baseline: before }) };
const fresh = { source: 'fresh', result: sampleResult({ breaker: sampleTrial(1000) }) };

it('refuses a run that is older than the class', () => {
  expect(() => plotLines([old], 'users')).toThrow('old: has no requests of the class users');
  expect(plotLines([old], 'orders')).toHaveLength(1);
});

it('draws such a run beside another one as one without samples', () => {
  const [none, some] = plotLines([old, fresh], 'users');
  expect([none?.confirmedShare, none?.histogram.totalCount]).toEqual([null, 0]);
  expect(none && caveats(none)).toContain('no samples');
  expect([some?.confirmedShare, some?.histogram.totalCount]).toEqual([0.99, 100]);
});
