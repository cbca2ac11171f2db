import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistogram, highestUs, percentileUs, recordUs } from '../histogram.ts';
import { percentileSeries, shareWithin } from './percentile-series.ts';

const durations = fc.array(fc.integer({ min: 0, max: highestUs }), { minLength: 2, maxLength: 400 });

function histogramOf(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) recordUs(histogram, value);
  return histogram;
}

/** The largest value that shares a step with the given one. */
function topOfStep(value: number): number {
  const width = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(value, 1))) - 10);
  return Math.floor(value / width) * width + width - 1;
}

describe('percentileSeries', () => {
  it('is what a sorted array says, to the step of the histogram', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const sorted = values.toSorted((a, b) => a - b);
        const series = percentileSeries(histogramOf(values));
        for (const { percentile, valueUs } of series.slice(0, -1)) {
          const rank = Math.ceil((percentile / 100) * values.length - 1e-6);
          expect(valueUs).toBe(topOfStep(sorted[Math.max(rank, 1) - 1] as number));
        }
        expect(series.at(-1)?.valueUs).toBe(topOfStep(sorted.at(-1) as number));
      }),
    );
  });

  it('has at most 200 points at even steps of log(1 / (1 - p)), and never falls', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const series = percentileSeries(histogramOf(values));
        expect(series.length).toBe(200);
        const logs = series.map(({ percentile }) => -Math.log(1 - percentile / 100));
        const step = Math.log(values.length) / 199;
        for (const [index, log] of logs.entries()) expect(log).toBeCloseTo(index * step, 6);
        const heights = series.map(({ valueUs }) => valueUs);
        expect(heights).toEqual(heights.toSorted((a, b) => a - b));
      }),
    );
  });

  it('ends with the largest value at 1 - 1 / count', () => {
    const histogram = histogramOf(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(percentileSeries(histogram).at(-1)).toEqual({ percentile: 99.9, valueUs: 1000 });
  });

  it('agrees with the percentiles of the tables', () => {
    const histogram = histogramOf(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_000));
    for (const { percentile, valueUs } of percentileSeries(histogram).slice(0, -1)) {
      if (percentile > 0) expect(valueUs).toBe(percentileUs(histogram, percentile));
    }
  });

  it('is one point for one value and none for an empty histogram', () => {
    expect(percentileSeries(histogramOf([42]))).toEqual([{ percentile: 0, valueUs: 42 }]);
    expect(percentileSeries(createHistogram())).toEqual([]);
  });
});

describe('shareWithin', () => {
  it('counts what is not above the limit', () => {
    const histogram = histogramOf([100, 200, 300, 400]);
    expect([99, 100, 250, 400].map((limit) => shareWithin(histogram, limit))).toEqual([0, 0.25, 0.5, 1]);
  });

  it('does not count a step that reaches beyond the limit', () => {
    expect(shareWithin(histogramOf([200_000]), 200_000)).toBe(0);
    expect(shareWithin(histogramOf([199_900]), 200_000)).toBe(1);
  });

  it('is unknown for an empty histogram', () => {
    expect(shareWithin(createHistogram(), 200)).toBeNull();
  });
});
