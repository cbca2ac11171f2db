/** Plot line: one stack of one run as it is overlaid with others. Pure. */
import { UsageError } from '../../patterns/usage-error.ts';
import { createHistogram, decodeHistogram, type Histogram } from '../histogram.ts';
import type { RequestClass } from '../request-class.ts';
import type { Result, StackResult, Trial } from '../result.ts';
import { trialsToShow } from '../summary.ts';

/** A result and the file that it was read from. */
export interface PlotRun {
  readonly source: string;
  readonly result: Result;
}

export interface PlotLine {
  /** The stack's name; with the end of the run's id behind it where the name comes from more than one run. */
  readonly label: string;
  readonly run: Result;
  readonly stack: string;
  readonly requestClass: RequestClass;
  /** The valid trials; where none is valid, all of them. */
  readonly trials: readonly Trial[];
  /** How many trials there are, invalid ones too. */
  readonly trialsMeasured: number;
  /** False: none of the trials is valid. */
  readonly valid: boolean;
  /** The response times of all trials, whatever the outcome. */
  readonly histogram: Histogram;
  /** Requests confirmed over requests offered; null when none was offered. */
  readonly confirmedShare: number | null;
}

/**
 * One line for each stack of each run that has a trial, in the order given.
 *
 * @throws {UsageError} If a histogram cannot be decoded, or there is nothing to show.
 */
export function plotLines(runs: readonly PlotRun[], requestClass: RequestClass): PlotLine[] {
  const lines = runs.flatMap((run) =>
    run.result.stacks
      .filter((stack) => stack.trials.length > 0)
      .map((stack) => plotLine(run, stack, requestClass)),
  );
  const sources = runs.map(({ source }) => source).join(', ');
  if (lines.length === 0) throw new UsageError(`${sources}: no trial was measured`);
  if (!lines.some(({ trials }) => trials.some((trial) => trial[requestClass] !== null)))
    throw new UsageError(`${sources}: has no requests of the class ${requestClass}; it is older than them`);
  return withLabels(lines);
}

/** The encoded histogram of a trial's response times; undefined where the trial is older than the class. */
export function responseHistogram(trial: Trial, requestClass: RequestClass): string | undefined {
  return trial.histograms[requestClass]?.all;
}

function plotLine({ source, result }: PlotRun, stack: StackResult, requestClass: RequestClass): PlotLine {
  const decoded = stack.trials.map((trial, index) => {
    try {
      const encoded = responseHistogram(trial, requestClass);
      return { trial, times: encoded === undefined ? createHistogram() : decodeHistogram(encoded) };
    } catch {
      const where = `${JSON.stringify(stack.name)}, trial ${index + 1}`;
      throw new UsageError(
        `${source}: ${where}: histograms.${requestClass}.all is not a V2 compressed histogram of µs`,
      );
    }
  });
  const trials = trialsToShow(stack.trials);
  const histogram = createHistogram();
  for (const { trial, times } of decoded) if (trials.includes(trial)) histogram.add(times);
  const total = (of: (trial: Trial) => number) => trials.reduce((sum, trial) => sum + of(trial), 0);
  const offered = total((trial) => trial[requestClass]?.offered ?? 0);
  return {
    label: stack.name,
    run: result,
    stack: stack.name,
    requestClass,
    trials,
    trialsMeasured: stack.trials.length,
    valid: trials.some((trial) => trial.valid),
    histogram,
    confirmedShare: offered === 0 ? null : total((trial) => trial[requestClass]?.confirmed ?? 0) / offered,
  };
}

/** Adds the run, and then a number, where lines would have one name. */
function withLabels(lines: readonly PlotLine[]): PlotLine[] {
  const runs = [...new Set(lines.map((line) => line.run))];
  // An id is a time and a few letters drawn at random; those are enough where they tell the runs apart.
  const tails = new Map(runs.map((run) => [run, run.id.slice(run.id.lastIndexOf('-') + 1)]));
  const tell = new Set(tails.values()).size === runs.length;
  const withRuns = lines.map((line) => {
    const twice = lines.some((other) => other.stack === line.stack && other.run !== line.run);
    return twice
      ? { ...line, label: `${line.stack} @ ${(tell && tails.get(line.run)) || line.run.id}` }
      : line;
  });
  return withRuns.map((line, index) => {
    const before = withRuns.slice(0, index).filter((other) => other.label === line.label).length;
    return before === 0 ? line : { ...line, label: `${line.label} (${before + 1})` };
  });
}

/** What has to be said beside a line's name; empty when there is nothing. */
export function caveats(line: PlotLine): string[] {
  return [
    ...(line.valid ? [] : ['invalid trials']),
    ...(line.run.complete ? [] : ['partial run']),
    ...(line.histogram.totalCount === 0 ? ['no samples'] : []),
  ];
}
