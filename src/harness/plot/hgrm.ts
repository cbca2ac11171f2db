/** Hgrm: a histogram as the percentile table that the HdrHistogram project's plotter reads. Pure. */
import type { Histogram } from '../histogram.ts';

/** As the project's own log processor writes it. */
const ticksPerHalfDistance = 5;
const usPerMs = 1000;

/** The last line: a comment to every reader, and how `plot` knows its own files. */
export const hgrmMark = '#[wavetank: response times in ms]';

/**
 * The percentile distribution of a histogram of µs, with values in ms, as `outputPercentileDistribution` of the
 * HdrHistogram project writes it: https://hdrhistogram.github.io/HdrHistogram/plotFiles.html reads such files.
 */
export function hgrmText(histogram: Histogram): string {
  const none = histogram.totalCount === 0 ? '#[no samples]\n' : '';
  return `${histogram.outputPercentileDistribution(ticksPerHalfDistance, usPerMs)}${none}${hgrmMark}\n`;
}
