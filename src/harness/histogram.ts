/**
 * Histogram: HDR histograms of whole microseconds, all of one shape, and the few things that are done with them.
 *
 * One fixed range for all, because histograms of different ranges do not add up. 3 digits: a value is kept to 0.1 %.
 * Counts have 32 bits each: the library's 8 and 16 bit buckets overflow without a word.
 */
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  type JsHistogram,
} from 'hdr-histogram-js';
import type { Distribution } from './result.ts';

export type { Histogram };

/** A histogram in the V2 compressed encoding of the HdrHistogram project, base64. */
export type EncodedHistogram = string;

/** The largest value that a histogram tells from larger ones, in µs: 134 s. */
export const highestUs = 2 ** 27 - 1;

/** An empty histogram (74 kB). */
export function createHistogram(): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: highestUs,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    autoResize: false,
    useWebAssembly: false,
  });
}

/**
 * Records a duration in µs, `times` times (0: not at all). Fractions are rounded. What lies above the range is recorded at its top,
 * where `clampedCount` finds it.
 *
 * @throws RangeError for a duration that is negative or no number: a bug in whoever measured it. The library would
 *   take NaN, and every percentile after it would be wrong.
 */
export function recordUs(histogram: Histogram, durationUs: number, times = 1): void {
  if (!(durationUs >= 0 && durationUs < Infinity)) {
    throw new RangeError(`a duration must be a finite number of at least 0 µs, not ${durationUs}`);
  }
  // The library would take 0 times as a new maximum.
  if (times > 0) histogram.recordValueWithCount(Math.min(Math.round(durationUs), highestUs), times);
}

/** How many values were recorded at the top of the range, in its last step (65 ms wide): they were as long, or longer. */
export function clampedCount(histogram: Histogram): number {
  const counts = histogram as Histogram & Pick<JsHistogram, 'getCountAtIndex' | 'countsArrayIndex'>;
  return counts.getCountAtIndex(counts.countsArrayIndex(highestUs));
}

export function encodeHistogram(histogram: Histogram): EncodedHistogram {
  return encodeIntoCompressedBase64(histogram);
}

/** @throws Error for a string that is no histogram, or one with another range. */
export function decodeHistogram(encoded: EncodedHistogram): Histogram {
  const histogram = decodeFromCompressedBase64(encoded, 32, false);
  if (histogram.highestTrackableValue !== highestUs) {
    throw new Error(`a histogram must reach to ${highestUs} µs, not to ${histogram.highestTrackableValue}`);
  }
  return histogram;
}

/** All values of all of them. Percentiles cannot be averaged; the values behind them can be put together. */
export function sumHistograms(encoded: Iterable<EncodedHistogram>): Histogram {
  const sum = createHistogram();
  for (const one of encoded) sum.add(decodeHistogram(one));
  return sum;
}

/**
 * The value that the given percentage of all values does not exceed (nearest rank), in µs; null when there are none.
 * For few values it is the largest of them.
 */
export function percentileUs(histogram: Histogram, percent: number): number | null {
  return histogram.totalCount === 0 ? null : histogram.getValueAtPercentile(percent);
}

/** A value that was recorded, as the top of its step (0.1 % wide), and how often. */
export interface RecordedValue {
  readonly valueUs: number;
  readonly count: number;
}

/** Everything that a histogram holds, smallest first. */
export function recordedValues(histogram: Histogram): RecordedValue[] {
  // By index: the library's own iterator works out the bounds of all 18,000 steps, the empty ones too.
  const steps = histogram as Histogram & StepAccess;
  const values: RecordedValue[] = [];
  let seen = 0;
  for (let index = 0; seen < histogram.totalCount && index < steps.countsArrayLength; index += 1) {
    const count = steps.getCountAtIndex(index);
    if (count === 0) continue;
    seen += count;
    values.push({ valueUs: steps.highestEquivalentValue(steps.valueFromIndex(index)), count });
  }
  return values;
}

/**
 * How many values are certainly not above the limit. A step of the histogram (0.1 % wide) that reaches beyond the limit
 * counts as above it.
 */
export function countWithin(histogram: Histogram, limitUs: number): number {
  return recordedValues(histogram)
    .filter(({ valueUs }) => valueUs <= limitUs)
    .reduce((sum, { count }) => sum + count, 0);
}

type StepAccess = Pick<
  JsHistogram,
  'countsArrayLength' | 'getCountAtIndex' | 'valueFromIndex' | 'highestEquivalentValue'
>;

/**
 * The value at a percentile below 100, in µs; null where fewer than one value can lie beyond it: q needs at least
 * 1 / (1 - q) values, so p50 needs 2, p90 10, p95 20, p99 100 and p99.9 1,000.
 */
export function knownPercentileUs(histogram: Histogram, percent: number): number | null {
  // 100 - 99.9 is a little less than 0.1.
  return histogram.totalCount * (100 - percent) < 100 - 1e-6 ? null : percentileUs(histogram, percent);
}

/** A histogram in eight numbers, in whole µs. Percentiles as far as they are known; max and mean need one value. */
export function summarise(histogram: Histogram): Distribution {
  const count = histogram.totalCount;
  return {
    count,
    p50: knownPercentileUs(histogram, 50),
    p90: knownPercentileUs(histogram, 90),
    p95: knownPercentileUs(histogram, 95),
    p99: knownPercentileUs(histogram, 99),
    p999: knownPercentileUs(histogram, 99.9),
    max: percentileUs(histogram, 100),
    mean: count === 0 ? null : Math.round(histogram.mean),
  };
}
