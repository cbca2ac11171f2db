import { describe, expect, it } from 'vitest';
import { compareStacks } from './comparison.ts';
import type { Result, Trial, WatchedTrial } from './result.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';

const invalid = { valid: false, invalidReasons: ['disturbed'] };

/** Trials that differ from round to round, all stacks by the same share. */
function rounds(unitUs: number, change: Partial<WatchedTrial> = {}): Trial[] {
  return [1, 2, 1.5, 3, 2.5].map((share) => sampleTrial(unitUs * share, change));
}

function ratiosOf(result: Result, stack = 1) {
  const ratios = compareStacks(result).stacks[stack]?.againstFirst?.ratios;
  if (ratios === undefined) throw new Error('not compared');
  return ratios;
}

describe('compareStacks', () => {
  it('compares nothing with itself', () => {
    const { stacks } = compareStacks(sampleResult({ baseline: sampleTrial(100) }));
    expect(stacks.map((stack) => stack.againstFirst)).toEqual([null]);
  });

  it('gives a ratio without an interval for one trial', () => {
    const ratios = ratiosOf(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(1000) }));
    expect(ratios.orderP95).toMatchObject({ interval: null, verdict: 'lower', noiseFloor: 'none' });
    expect(ratios.orderP95.ratio).toBeCloseTo(0.05, 3);
  });

  it('gives figures intervals from 5 valid trials on', () => {
    const four = compareStacks(sampleResult({ baseline: rounds(100).slice(1) })).stacks[0]?.values.orderP95;
    const five = compareStacks(sampleResult({ baseline: rounds(100) })).stacks[0]?.values.orderP95;
    expect(four?.interval).toBeNull();
    expect(five?.interval?.low).toBeLessThan(five?.value ?? 0);
    expect(five?.interval?.high).toBeGreaterThan(five?.value ?? 0);
  });

  it('pairs the rounds: what drifts alike for both does not blur their ratio', () => {
    const { orderP95 } = ratiosOf(sampleResult({ baseline: rounds(20_000), breaker: rounds(1000) }));
    expect(orderP95.verdict).toBe('lower');
    expect(orderP95.ratio).toBeCloseTo(0.05, 3);
    expect(orderP95.interval?.high).toBeCloseTo(0.05, 3);
  });

  it('gives no number for a difference whose interval includes 1', () => {
    const shuffled = [3, 1, 2, 1.4, 2.6].map((share) => sampleTrial(1000 * share));
    const { orderP95 } = ratiosOf(sampleResult({ baseline: rounds(1000), breaker: shuffled }));
    expect(orderP95).toMatchObject({ ratio: null, verdict: 'no difference' });
    expect(orderP95.interval?.low).toBeLessThan(1);
    expect(orderP95.interval?.high).toBeGreaterThan(1);
  });

  it('leaves an invalid trial out, and its round out of the ratio', () => {
    const baseline = [...rounds(20_000), sampleTrial(1, invalid)];
    const breaker = [...rounds(1000), sampleTrial(900_000)];
    const comparison = compareStacks(sampleResult({ baseline, breaker }));
    const [first, second] = comparison.stacks;
    expect(second?.againstFirst?.rounds).toBe(5);
    expect(second?.againstFirst?.ratios.orderP95.ratio).toBeCloseTo(0.05, 3);
    expect(first?.values.orderP95.value).toBeGreaterThan(1000);
    expect(comparison.invalidTrials).toEqual([{ stack: 'baseline', trial: 6, reasons: ['disturbed'] }]);
  });

  it('cannot tell anything against a stack without a valid trial', () => {
    const ratios = ratiosOf(sampleResult({ baseline: sampleTrial(100, invalid), breaker: sampleTrial(100) }));
    expect(new Set(Object.values(ratios).map((ratio) => ratio.verdict))).toEqual(new Set(['unknown']));
  });

  it('gives no ratio where the smaller side does not stand clear of the canary', () => {
    const result = sampleResult({ baseline: sampleTrial(1000), breaker: sampleTrial(1) });
    expect(ratiosOf(result).loopDelayP99).toEqual({
      ratio: null,
      interval: null,
      verdict: 'lower',
      noiseFloor: 'this',
      // Without the noise it could only be lower still.
      atLeast: expect.closeTo(1000, 0) as number,
    });
  });

  it('cannot tell one noise from another', () => {
    const [baseline, breaker] = [sampleTrial(1), sampleTrial(1.5)];
    expect(ratiosOf(sampleResult({ baseline, breaker })).loopDelayP99).toMatchObject({
      ratio: null,
      verdict: 'unknown',
      noiseFloor: 'both',
      atLeast: null,
    });
  });

  it('sees a difference from nothing, which has no ratio', () => {
    const payments = { charged: 90, duplicates: 9, phantoms: 0, lost: 0, tornLines: 0 };
    const twice = ratiosOf(
      sampleResult({ retry: rounds(1000), 'retry-blind': rounds(1000, { payments }) }),
    ).chargedTwice;
    expect(twice).toMatchObject({ ratio: null, verdict: 'higher' });
  });

  it('cannot compare percentiles of too few samples', () => {
    const few = sampleTrial(1000);
    few.orders.confirmedUs = { ...few.orders.confirmedUs, p95: null };
    const empty = {
      ...few.histograms,
      orders: { ...few.histograms.orders, confirmed: few.histograms.orders.failed },
    };
    const ratios = ratiosOf(
      sampleResult({ baseline: sampleTrial(1000), breaker: { ...few, histograms: empty } }),
    );
    expect(ratios.confirmedP95).toMatchObject({ ratio: null, verdict: 'unknown', noiseFloor: 'none' });
  });

  it('says the same twice', () => {
    const result = sampleResult({ baseline: rounds(20_000), breaker: rounds(1000) });
    expect(compareStacks(result)).toEqual(compareStacks(result));
  });
});
