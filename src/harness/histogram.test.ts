import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clampedCount,
  createHistogram,
  decodeHistogram,
  encodeHistogram,
  highestUs,
  percentileUs,
  recordUs,
  sumHistograms,
  summarise,
} from './histogram.ts';

const durations = fc.array(fc.integer({ min: 0, max: highestUs }), { minLength: 1, maxLength: 300 });

function histogramOf(values: Iterable<number>) {
  const histogram = createHistogram();
  for (const value of values) recordUs(histogram, value);
  return histogram;
}

const oneToThousand = Array.from({ length: 1000 }, (_, index) => index + 1);

describe('recording', () => {
  it.each([NaN, Infinity, -Infinity, -1, -0.001])('refuses %d (case H56)', (value) => {
    const histogram = createHistogram();
    expect(() => {
      recordUs(histogram, value);
    }).toThrow(RangeError);
    expect(histogram.totalCount).toBe(0);
  });

  it('rounds fractions to whole microseconds (case H56)', () => {
    expect(summarise(histogramOf([1.7])).max).toBe(2);
  });

  it('records what lies above the range at its top, and counts it', () => {
    const histogram = histogramOf([5, highestUs + 1, 1e12]);
    expect(clampedCount(histogram)).toBe(2);
    expect(summarise(histogram)).toMatchObject({ count: 3, max: highestUs });
  });

  it('keeps counts beyond 16 bits', () => {
    const histogram = createHistogram();
    recordUs(histogram, 7, 100_000);
    expect(decodeHistogram(encodeHistogram(histogram)).totalCount).toBe(100_000);
  });

  it('records nothing when told to record 0 times', () => {
    const histogram = createHistogram();
    recordUs(histogram, 7, 0);
    expect(summarise(histogram)).toMatchObject({ count: 0, max: null });
  });
});

describe('percentiles', () => {
  it('of 1 to 1000 are 500, 990 and 999 (case H60)', () => {
    expect(summarise(histogramOf(oneToThousand))).toEqual({
      count: 1000,
      p50: 500,
      p90: 900,
      p95: 950,
      p99: 990,
      p999: 999,
      max: 1000,
      mean: 501,
    });
  });

  it('are those of the sorted values, to 0.1 %', () => {
    fc.assert(
      fc.property(durations, fc.constantFrom(1, 50, 90, 95, 99, 100), (values, percent) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? NaN;
        const reported = percentileUs(histogramOf(values), percent) ?? NaN;
        expect(reported).toBeGreaterThanOrEqual(exact);
        expect(reported).toBeLessThanOrEqual(exact * 1.001);
      }),
    );
  });

  it('never fall with a higher percentage', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { p50, p90, p95, p99, max } = summarise(histogramOf(values));
        const known = [p50, p90, p95, p99, max].filter((value) => value !== null);
        expect(known).toEqual(known.toSorted((a, b) => a - b));
      }),
    );
  });

  it('are null where too few values lie beyond them', () => {
    const known = (count: number) =>
      Object.entries(summarise(histogramOf(oneToThousand.slice(0, count))))
        .filter(([, value]) => value !== null)
        .map(([name]) => name);
    expect(known(0)).toEqual(['count']);
    expect(known(1)).toEqual(['count', 'max', 'mean']);
    expect(known(19)).toEqual(['count', 'p50', 'p90', 'max', 'mean']);
    expect(known(20)).toContain('p95');
    expect(known(99)).not.toContain('p99');
    expect(known(100)).toContain('p99');
    expect(known(999)).not.toContain('p999');
    expect(known(1000)).toContain('p999');
  });
});

describe('encoded histograms', () => {
  it('summarise to the same before and after the trip', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const histogram = histogramOf(values);
        expect(summarise(decodeHistogram(encodeHistogram(histogram)))).toEqual(summarise(histogram));
      }),
    );
  });

  it('add up to one that has seen all values', () => {
    fc.assert(
      fc.property(fc.array(durations, { maxLength: 4 }), (parts) => {
        const sum = sumHistograms(parts.map((values) => encodeHistogram(histogramOf(values))));
        expect(encodeHistogram(sum)).toBe(encodeHistogram(histogramOf(parts.flat())));
      }),
    );
  });

  it('are refused when their range is another', async () => {
    const { build, encodeIntoCompressedBase64 } = await import('hdr-histogram-js');
    const other = build({ highestTrackableValue: 1000, numberOfSignificantValueDigits: 3 });
    expect(() => decodeHistogram(encodeIntoCompressedBase64(other))).toThrow('a histogram must reach to');
  });
});
