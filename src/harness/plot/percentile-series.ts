/**
 * Percentile series: a histogram as the points of an HDR percentile plot. Pure.
 *
 * The x axis of such a plot is 1 / (1 - p) on a log scale, so that 90, 99 and 99.9 % are equally far apart; see
 * https://hdrhistogram.github.io/HdrHistogram/plotFiles.html.
 */
import { countWithin, type Histogram, recordedValues } from '../histogram.ts';

export interface PercentilePoint {
  /** From 0 to less than 100. */
  readonly percentile: number;
  /** The value that this percentage of all values does not exceed (nearest rank). */
  readonly valueUs: number;
}

/**
 * Points at even steps of log(1 / (1 - p)), from the smallest value at 0 % to the largest.
 *
 * The series ends at 1 - 1 / count: one value in `count` is all that there is beyond it, and a line drawn on would be
 * made up. The largest value begins right behind that percentile, and stands there.
 *
 * @param pointsMax Points at most, at least 2; an empty histogram has none and a single value one. Default 200.
 */
export function percentileSeries(histogram: Histogram, pointsMax = 200): PercentilePoint[] {
  const count = histogram.totalCount;
  const values = recordedValues(histogram);
  const largest = values.at(-1);
  if (largest === undefined) return [];

  const points: PercentilePoint[] = [];
  const steps = count === 1 ? 0 : pointsMax - 1;
  let index = 0;
  let reached = values[0]?.count ?? 0;
  for (let step = 0; step < steps; step += 1) {
    const share = 1 - count ** (-step / steps);
    // Rounding may lift an exact rank by the last bit, and a whole value with it.
    const rank = Math.ceil(share * count - 1e-9 * count);
    while (reached < rank) {
      index += 1;
      reached += values[index]?.count ?? 0;
    }
    points.push({ percentile: share * 100, valueUs: values[index]?.valueUs ?? largest.valueUs });
  }
  points.push({ percentile: 100 * (1 - 1 / count), valueUs: largest.valueUs });
  return points;
}

/** The share of all values that are certainly not above the limit (`countWithin`), from 0 to 1; null for an empty histogram. */
export function shareWithin(histogram: Histogram, limitUs: number): number | null {
  if (histogram.totalCount === 0) return null;
  return countWithin(histogram, limitUs) / histogram.totalCount;
}
