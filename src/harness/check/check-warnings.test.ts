import { expect, test } from 'vitest';
import { roundWarnings, unansweredWarnings } from './check-warnings.ts';
import type { ScenarioName } from './check-metrics.ts';
import type { Round } from './check-record.ts';

/** A round for each reason. */
function rounds(scenario: ScenarioName, ...discarded: (string | null)[]): Round[] {
  return discarded.map((why, index) => ({
    round: index + 1,
    order: 'AB',
    pairs: [{ scenario, discarded: why, a: {}, b: {}, limits: {} }],
  }));
}

test('says where too few rounds count', () => {
  expect(roundWarnings(rounds('failing', null, null, 'A: late'))).toEqual([
    expect.stringMatching(/^only 2 of 3 failing rounds count, and nothing is decided with fewer than 3/),
  ]);
  expect(roundWarnings(rounds('failing', null, null, null, 'A: late'))).toEqual([]);
});

test('says where B alone disturbed the host in most rounds', () => {
  const late = ['B: late', 'B: late', 'B: late', 'B: late'] as const;
  const warning =
    /in 4 of 7 failing rounds the host was disturbed while B was measured, and never while A was/;
  expect(roundWarnings(rounds('failing', ...late, null, null, null))).toEqual([
    expect.stringMatching(warning),
  ]);
  expect(roundWarnings(rounds('failing', ...late, 'A: late', null, null, null))).toEqual([]);
  expect(roundWarnings(rounds('failing', ...late, null, null, null, null))).toEqual([]);
  expect(roundWarnings(rounds('healthy', ...late, null, null, null))).toEqual([]);
});

test('names the metrics that have no answer', () => {
  const effects = new Map([['errorRate', 5] as const]);
  expect(unansweredWarnings(['errorRate', 'timeToOpen'], { effects, limits: [] })).toEqual([
    'not compared, because no round has them on both sides: outage to breaker open',
  ]);
  expect(unansweredWarnings(['errorRate'], { effects, limits: [] })).toEqual([]);
});
