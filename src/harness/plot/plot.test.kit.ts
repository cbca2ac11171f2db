/** Kit: lines and runs for tests of what is drawn from them. */
import { createHistogram, encodeHistogram, recordUs } from '../histogram.ts';
import type { Result, Trial } from '../result.ts';
import { sampleResult, sampleTrial } from '../trial.test.kit.ts';
import type { RequestClass } from '../request-class.ts';
import { type PlotLine, plotLines } from './plot-line.ts';

export function linesOf(result: Result, requestClass: RequestClass = 'orders'): PlotLine[] {
  return plotLines([{ source: 'run', result }], requestClass);
}

/** A result of one stack with the given trials. */
export function stackResult(name: string, trials: Trial[]): Result {
  const result = sampleResult({ [name]: sampleTrial(1000) });
  return { ...result, stacks: result.stacks.map((stack) => ({ ...stack, trials })) };
}

/** A trial whose requests of each class took the given times. */
export function trialOf(durationsUs: readonly number[], change: Partial<Trial> = {}): Trial {
  const histogram = createHistogram();
  for (const durationUs of durationsUs) recordUs(histogram, durationUs);
  const all = encodeHistogram(histogram);
  const { histograms, ...trial } = sampleTrial(1000);
  return {
    ...trial,
    histograms: { ...histograms, orders: { ...histograms.orders, all }, bystander: { all }, users: { all } },
    ...change,
  };
}
