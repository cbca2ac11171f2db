import { describe, expect, it } from 'vitest';
import { compareStacks } from './comparison.ts';
import type { Result } from './result.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';
import { stackVerdicts, verdictText } from './verdict-text.ts';

/** In one line, as if the terminal were that wide. */
function verdictOf(result: Result): string {
  return verdictText(compareStacks(result), 1000);
}

describe('verdictText', () => {
  it('says what a stack did to the orders, the bystanders, the loop and the money, a line each', () => {
    const text = verdictOf(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) }));
    expect(text).toMatch(/^breaker against baseline \(one trial each; another run may differ\):$/m);
    expect(text).toContain('\n  orders      order response p95 9.50 instead of 1,901 ms (200 times lower)');
    expect(text).toContain('\n  bystanders  bystander response p99 9.9');
    expect(text).toContain('\n  event loop  gateway loop delay p99 9.9');
    expect(text).toContain('\n  money       no difference in charged twice and charged but not confirmed');
  });

  it('gives a ratio no more digits than one run can bear', () => {
    const text = verdictOf(sampleResult({ baseline: sampleTrial(8590), breaker: sampleTrial(1000) }));
    expect(text).toContain('(8.6 times lower)');
  });

  it('calls what hardly differs no difference, without a number', () => {
    const text = verdictOf(sampleResult({ baseline: sampleTrial(1000), breaker: sampleTrial(1001) }));
    expect(text).toContain('no difference in order response p95');
    expect(text).not.toContain('times');
  });

  it('turns the interval of a ratio below 1 over, so that both read as times lower', () => {
    const rounds = (units: number[]) => units.map((unit) => sampleTrial(unit));
    const text = verdictOf(
      sampleResult({
        baseline: rounds([20_000, 20_000, 20_000, 20_000, 20_000]),
        breaker: rounds([900, 1000, 1100, 1000, 1000]),
      }),
    );
    const [, low, high] = /\(20 times lower \[(\d+)–(\d+)\]\)/.exec(text) ?? [];
    expect(Number(low)).toBeLessThan(20);
    expect(Number(high)).toBeGreaterThan(20);
    expect(text).toContain('(5 rounds, 95 % intervals in brackets)');
  });

  it('says noise floor instead of a ratio to noise', () => {
    const text = verdictOf(sampleResult({ baseline: sampleTrial(1000), breaker: sampleTrial(1) }));
    expect(text).toContain(
      'gateway loop delay p99 0.10 instead of 99.0 ms (at least 1,000 times lower, at the noise floor)',
    );
  });

  it('opens with what a person has to know first', () => {
    const [verdict] = stackVerdicts(
      compareStacks(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) })),
    );
    expect(verdict?.headline).toBe(
      'answers orders 200 times sooner, answers other traffic 200 times sooner, answers user requests 200 times sooner and confirms more orders within the SLA',
    );
  });

  it('breaks its lines within the width', () => {
    const comparison = compareStacks(
      sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) }),
    );
    const lines = verdictText(comparison, 60).split('\n');
    expect(Math.max(...lines.slice(1).map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines.some((line) => line.startsWith(' '.repeat(14)))).toBe(true);
  });

  it('says nothing of the user service where a run is older than it', () => {
    const old = { users: null };
    const result = sampleResult({ baseline: sampleTrial(20_000, old), breaker: sampleTrial(100, old) });
    expect(verdictOf(result)).not.toMatch(/user/);
    expect(verdictOf(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) }))).toMatch(
      /\n {2}users {7}user service response p99/,
    );
  });

  it('has nothing to say about one stack', () => {
    expect(verdictOf(sampleResult({ baseline: sampleTrial(100) }))).toBe('');
  });
});
