/**
 * Hlog: response times as a histogram log (format 1.3), one interval per trial. Pure.
 *
 * The format is that of the HdrHistogram project's `HistogramLogWriter`. Time stamps are absolute (seconds since the
 * epoch, base time 0), and each line carries its tag, so logs of several machines merge by concatenation: a reader that
 * adds up the intervals of a tag has the histogram of all of them.
 */
import { decodeHistogram, encodeHistogram } from '../histogram.ts';
import type { Trial } from '../result.ts';
import { type PlotLine, responseHistogram } from './plot-line.ts';

/** The first line: a comment to every reader, and how `plot` knows its own files. */
export const hlogMark = '#[wavetank: response times in µs, interval max in ms]';

/** A log of one stack and class. Invalid trials are left out, unless there are no others. */
export function hlogText(line: PlotLine): string {
  const starts = line.trials.map(windowStartS);
  const firstS = Math.min(...starts);
  const tag = hlogTag(line.stack, line.requestClass);
  return [
    hlogMark,
    ...(line.valid ? [] : ['#[invalid trials]']),
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${firstS.toFixed(3)} (seconds since epoch), ${new Date(firstS * 1000).toISOString()}]`,
    '#[BaseTime: 0.000 (seconds since epoch)]',
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...line.trials.flatMap((trial, index) => {
      const encoded = responseHistogram(trial, line.requestClass);
      if (encoded === undefined) return [];
      const histogram = decodeHistogram(encoded);
      const fields = [
        `Tag=${tag}`,
        (starts[index] as number).toFixed(3),
        (trial.windowMs / 1000).toFixed(3),
        (histogram.maxValue / 1000).toFixed(3),
        // Written anew: what stands in a line is a histogram, whatever the file held.
        encodeHistogram(histogram),
      ];
      return [fields.join(',')];
    }),
    '',
  ].join('\n');
}

/** `stack/class`. Commas and white space end a tag, so they are replaced. */
export function hlogTag(stack: string, requestClass: string): string {
  return `${stack.replaceAll(/[\s,\p{C}]/gu, '_')}/${requestClass}`;
}

/**
 * When the window began, to some 0.3 s: the service is spawned right after the trial has started, and its time is kept
 * relative to the window. Without a service of our own, the earliest step of the timeline says nearly the same.
 */
function windowStartS(trial: Trial): number {
  const spawnedAtMs = trial.target?.starts[0]?.spawnedAtMs ?? trial.timeline[0]?.atMs ?? 0;
  return (Date.parse(trial.startedAt) + Math.max(0, -spawnedAtMs)) / 1000;
}
