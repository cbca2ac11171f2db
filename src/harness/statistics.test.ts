import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../patterns/random.ts';
import { geometricMeanEstimate, meanEstimate, medianEstimate, rateOf } from './statistics.ts';

const figures = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 5, maxLength: 12 });

/** The share of simulated experiments whose interval holds the true mean. */
function coverage(values: number, trueMean: number, draw: (random: () => number) => number): number {
  const random = seededRandom(7);
  const experiments = 600;
  let covered = 0;
  for (let done = 0; done < experiments; done++) {
    const drawn = Array.from({ length: values }, () => draw(random));
    const interval = meanEstimate(drawn, random)?.interval;
    if (interval != null && interval.low <= trueMean && trueMean <= interval.high) covered++;
  }
  return covered / experiments;
}

/** Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe('meanEstimate', () => {
  it.each([5, 10])('covers the truth in about 95 of 100 experiments of %i normal values', (values) => {
    // Standard error of the share: 0.9 %.
    expect(coverage(values, 0, normal)).toBeGreaterThan(0.925);
    expect(coverage(values, 0, normal)).toBeLessThan(0.975);
  });

  it('covers it somewhat less often when the values are skewed', () => {
    const share = coverage(10, 1, (random) => -Math.log(1 - random()));
    expect(share).toBeGreaterThan(0.87);
    expect(share).toBeLessThan(0.95);
  });

  it('holds the mean in its interval', () => {
    fc.assert(
      fc.property(figures, fc.nat(), (values, seed) => {
        const estimate = meanEstimate(values, seededRandom(seed));
        fc.pre(estimate?.interval != null);
        const slack = 1e-9 * Math.max(...values);
        expect(estimate.interval.low).toBeLessThanOrEqual(estimate.value + slack);
        expect(estimate.interval.high).toBeGreaterThanOrEqual(estimate.value - slack);
      }),
      { numRuns: 30 },
    );
  });

  it('gives the same interval for the same seed', () => {
    const values = [1, 2, 3, 4, 10];
    expect(meanEstimate(values, seededRandom(1))).toEqual(meanEstimate(values, seededRandom(1)));
  });

  it('gives no interval for fewer than 5 values, and nothing for none', () => {
    expect(meanEstimate([1, 2, 3, 6], seededRandom(1))).toEqual({ value: 3, interval: null });
    expect(meanEstimate([], seededRandom(1))).toBeNull();
  });

  it('keeps its bounds near the values, however one of them stands out', () => {
    const { low = Number.NaN, high = Number.NaN } =
      meanEstimate([1, 1.01, 1.02, 1.03, 9], seededRandom(1))?.interval ?? {};
    expect(low).toBeGreaterThan(-4);
    expect(high).toBeLessThan(12);
  });

  it('takes equal values for certain', () => {
    expect(meanEstimate([0, 0, 0, 0, 0], seededRandom(1))).toEqual({
      value: 0,
      interval: { low: 0, high: 0 },
    });
  });
});

describe('geometricMeanEstimate', () => {
  it('turns over with its values: the interval of 1/x is 1 over the interval of x', () => {
    fc.assert(
      fc.property(figures, fc.nat(), (values, seed) => {
        const estimate = geometricMeanEstimate(values, seededRandom(seed));
        const inverse = geometricMeanEstimate(
          values.map((value) => 1 / value),
          seededRandom(seed),
        );
        fc.pre(estimate?.interval != null && inverse?.interval != null);
        expect(estimate.value * inverse.value).toBeCloseTo(1, 9);
        expect(Math.log(estimate.interval.low) + Math.log(inverse.interval.high)).toBeCloseTo(0, 6);
      }),
      { numRuns: 30 },
    );
  });

  it('knows no mean of what is not positive', () => {
    expect(geometricMeanEstimate([1, 0, 2, 3, 4], seededRandom(1))).toBeNull();
  });
});

describe('medianEstimate', () => {
  it('is the middle value, or between the two middle ones', () => {
    expect(medianEstimate([3, 1, 2]).value).toBe(2);
    expect(medianEstimate([4, 1, 3, 2]).value).toBe(2.5);
  });

  it('has an interval between two of the values from six on', () => {
    expect(medianEstimate([1, 2, 3, 4, 5]).interval).toBeNull();
    expect(medianEstimate([6, 5, 4, 3, 2, 1]).interval).toEqual({ low: 1, high: 6 });
    // The pairs of a table of the sign test (n = 11: 2nd and 10th).
    expect(medianEstimate([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]).interval).toEqual({ low: 2, high: 10 });
  });

  it('holds the median of what the values are drawn from in 95 % of all cases or more', () => {
    const random = seededRandom(3);
    let held = 0;
    for (let done = 0; done < 2000; done += 1) {
      const draws = Array.from({ length: 11 }, () => -Math.log(1 - random()));
      const { interval } = medianEstimate(draws);
      if (interval !== null && interval.low <= Math.LN2 && Math.LN2 <= interval.high) held += 1;
    }
    expect(held / 2000).toBeGreaterThan(0.95);
  });
});

it('a rate of 0 of 300 may still be one of 1.3 %', () => {
  expect(rateOf(0, 300)).toMatchObject({ rate: 0, count: 0, of: 300 });
  expect(rateOf(0, 300).low).toBeCloseTo(0, 6);
  expect(rateOf(0, 300).high).toBeCloseTo(0.0126, 3);
  expect(rateOf(150, 300).low).toBeCloseTo(0.444, 2);
});
