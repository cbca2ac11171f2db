/**
 * Comparison: every stack of a result against the first one, as plain data. Tables, sentences and pages are made from
 * this, so that all of them say the same. Pure; the same result gives the same intervals.
 */
import { deriveSeed, seededRandom } from '../patterns/random.ts';
import { type Metric, type MetricKey, metricKeys, metrics, slaMsOf } from './metrics.ts';
import type { Result, StackResult, Trial } from './result.ts';
import {
  type Estimate,
  geometricMeanEstimate,
  type Interval,
  intervalTrialsMin,
  meanEstimate,
} from './statistics.ts';
import { type StackSummary, summariseStack } from './summary.ts';

/** How a stack's figure stands to the first one's; `unknown` where that cannot be told. */
export type Verdict = 'lower' | 'higher' | 'no difference' | 'unknown';

/**
 * A stack's figure in the metric's unit; null where there are too few samples.
 *
 * With an interval it is the mean over the valid trials of each trial's own figure (geometric for durations).
 * Without one it is the figure of all valid trials put together: histograms merged, counts added.
 */
export interface MetricValue {
  readonly value: number | null;
  readonly interval: Interval | null;
}

/** A stack's figure against the first stack's. */
export interface MetricRatio {
  /**
   * This over the first; null where no number should be read: no difference, at the noise floor, or nothing to divide.
   * With an interval it is the geometric mean of the ratios within each round, whose stacks met the same arrivals; where
   * trials are invalid, only rounds in which both are valid count, so it may differ a little from the quotient of the values.
   */
  readonly ratio: number | null;
  /** Of the ratio, 95 %; null with fewer than 5 rounds in which both are valid. Given for `no difference` too. */
  readonly interval: Interval | null;
  readonly verdict: Verdict;
  /** Whose figure does not stand clear of the host's noise, so that how many times lower it is cannot be told. */
  readonly noiseFloor: 'none' | 'this' | 'first' | 'both';
  /**
   * How many times lower or higher at least, where the smaller figure is at the noise floor: without the noise it could only
   * be smaller. The interval's nearer end, where there is one. Null everywhere else.
   */
  readonly atLeast: number | null;
}

export interface ComparedStack {
  readonly name: string;
  /** Counts added, histograms merged over valid trials. */
  readonly summary: StackSummary;
  readonly values: Readonly<Record<MetricKey, MetricValue>>;
  /** Null for the first stack itself. */
  readonly againstFirst: {
    /** Rounds in which both have a valid trial. 0: not compared, every verdict is `unknown`. */
    readonly rounds: number;
    readonly ratios: Readonly<Record<MetricKey, MetricRatio>>;
  } | null;
}

export interface InvalidTrial {
  readonly stack: string;
  /** From 1. */
  readonly trial: number;
  readonly reasons: readonly string[];
}

export interface Comparison {
  /** False: interrupted. */
  readonly complete: boolean;
  readonly slaMs: number;
  /** Stacks that were measured at all, in the order of the command; none where nothing was. */
  readonly stacks: readonly ComparedStack[];
  /** Left out of every figure, unless a stack has no other. */
  readonly invalidTrials: readonly InvalidTrial[];
}

/** A duration stands clear of the host's noise when it is at least this many times what the idle canary showed. */
const clearOfNoise = 2;

export function compareStacks(result: Result): Comparison {
  const slaMs = slaMsOf(result);
  const measured = result.stacks
    .filter((stack) => stack.trials.length > 0)
    .map((stack) => measuredStack(result, stack, slaMs));
  const [first] = measured;
  return {
    complete: result.complete,
    slaMs,
    stacks: measured.map((stack) => ({
      name: stack.name,
      summary: stack.summary,
      values: stack.values,
      againstFirst:
        first === undefined || stack === first
          ? null
          : {
              rounds: commonRounds(stack, first),
              ratios: forEachMetric((key) => ratioOf(key, stack, first)),
            },
    })),
    invalidTrials: result.stacks.flatMap((stack) =>
      stack.trials.flatMap(({ valid, invalidReasons }, index) =>
        valid ? [] : [{ stack: stack.name, trial: index + 1, reasons: invalidReasons }],
      ),
    ),
  };
}

interface MeasuredStack {
  readonly name: string;
  readonly summary: StackSummary;
  readonly validByRound: ReadonlyMap<number, TrialFigures>;
  readonly values: Record<MetricKey, MetricValue>;
  /** A stream of random numbers of its own for each use. */
  readonly randomFor: (use: string) => () => number;
}

type TrialFigures = Record<MetricKey, number | null>;

function measuredStack(result: Result, stack: StackResult, slaMs: number): MeasuredStack {
  const summary = summariseStack(stack, slaMs);
  const figures = (trial: Trial) => forEachMetric((key) => metrics[key].ofTrial(trial, slaMs * 1000));
  const validByRound = new Map(
    stack.trials
      .filter((trial) => trial.valid)
      .map((trial) => [Math.floor(trial.sequence / result.stacks.length), figures(trial)]),
  );
  const randomFor = (use: string) => seededRandom(deriveSeed(result.seed, `${stack.name} ${use}`));
  const values = forEachMetric((key): MetricValue => {
    const observed = [...validByRound.values()].flatMap((trial) => trial[key] ?? []);
    const estimate = estimateOf(metrics[key], observed, randomFor(key));
    return estimate?.interval != null
      ? { value: estimate.value, interval: withinUnit(metrics[key], estimate.interval) }
      : { value: metrics[key].ofStack(summary), interval: null };
  });
  return { name: stack.name, summary, validByRound, values, randomFor };
}

function estimateOf({ scale }: Metric, values: readonly number[], random: () => number): Estimate | null {
  return scale === 'log' ? geometricMeanEstimate(values, random) : meanEstimate(values, random);
}

/** Nothing that is compared can be negative, and no share is above 100 %. */
function withinUnit({ unit }: Metric, { low, high }: Interval): Interval {
  return { low: Math.max(low, 0), high: unit === '%' ? Math.min(high, 100) : high };
}

const unknown: MetricRatio = {
  ratio: null,
  interval: null,
  verdict: 'unknown',
  noiseFloor: 'none',
  atLeast: null,
};

function ratioOf(key: MetricKey, stack: MeasuredStack, first: MeasuredStack): MetricRatio {
  const value = stack.values[key].value;
  const firstValue = first.values[key].value;
  const rounds = commonRounds(stack, first);
  if (rounds === 0 || value === null || firstValue === null) return unknown;

  const { ratio, interval, verdict } =
    rounds < intervalTrialsMin
      ? differenceOf(value, firstValue)
      : differenceOver(pairsOf(key, stack, first), stack.randomFor(`${key} against ${first.name}`));
  const noiseFloor = noiseFloorOf(metrics[key], { value, stack }, { value: firstValue, stack: first });
  if (noiseFloor === 'both') return { ...unknown, interval, noiseFloor };
  const smaller = verdict === 'lower' ? 'this' : 'first';
  const differs = verdict === 'lower' || verdict === 'higher';
  if (differs && noiseFloor === smaller && ratio !== null) {
    const atLeast = verdict === 'lower' ? 1 / (interval?.high ?? ratio) : (interval?.low ?? ratio);
    return { ratio: null, interval, verdict, noiseFloor, atLeast };
  }
  return { ratio: differs ? ratio : null, interval, verdict, noiseFloor, atLeast: null };
}

/** In how many rounds both have a valid trial. */
function commonRounds(stack: MeasuredStack, first: MeasuredStack): number {
  return [...stack.validByRound.keys()].filter((round) => first.validByRound.has(round)).length;
}

/** The figures of both in the rounds in which both are valid. */
function pairsOf(key: MetricKey, stack: MeasuredStack, first: MeasuredStack): [number, number][] {
  return [...stack.validByRound].flatMap(([round, trial]): [number, number][] => {
    const figure = trial[key];
    const firstFigure = first.validByRound.get(round)?.[key] ?? null;
    return figure === null || firstFigure === null ? [] : [[figure, firstFigure]];
  });
}

type Difference = Omit<MetricRatio, 'noiseFloor' | 'atLeast'>;

/** Of too few trials for an interval. */
function differenceOf(value: number, firstValue: number): Difference {
  if (value === 0 || firstValue === 0) {
    return { ratio: null, interval: null, verdict: order(value, firstValue) };
  }
  const ratio = value / firstValue;
  return { ratio, interval: null, verdict: order(toTwoDigits(ratio), 1) };
}

function differenceOver(
  pairs: readonly (readonly [figure: number, first: number])[],
  random: () => number,
): Difference {
  if (pairs.every(([figure, first]) => figure > 0 && first > 0)) {
    const ratios = pairs.map(([figure, first]) => figure / first);
    const estimate = geometricMeanEstimate(ratios, random);
    return {
      ratio: estimate?.value ?? null,
      interval: estimate?.interval ?? null,
      verdict: verdictOf(estimate, 1),
    };
  }
  // Where a figure is 0 there is no ratio, but there may well be a difference.
  const differences = pairs.map(([figure, first]) => figure - first);
  return { ratio: null, interval: null, verdict: verdictOf(meanEstimate(differences, random), 0) };
}

/** What an interval says: on which side of `same` all of it lies, if on one. */
function verdictOf(estimate: Estimate | null, same: number): Verdict {
  if (estimate?.interval == null) return 'unknown';
  const { low, high } = estimate.interval;
  return low <= same && same <= high ? 'no difference' : order(estimate.value, same);
}

function order(value: number, reference: number): Verdict {
  if (value === reference) return 'no difference';
  return value < reference ? 'lower' : 'higher';
}

/** More than two would pretend a precision that a few runs do not have. */
function toTwoDigits(ratio: number): number {
  return ratio < 1 ? 1 / Number((1 / ratio).toPrecision(2)) : Number(ratio.toPrecision(2));
}

interface Standing {
  readonly value: number;
  readonly stack: MeasuredStack;
}

function noiseFloorOf(metric: Metric, one: Standing, first: Standing): MetricRatio['noiseFloor'] {
  const inNoise = ({ value, stack }: Standing) => {
    const noise = metric.noiseOfStack?.(stack.summary) ?? null;
    return noise !== null && value < noise * clearOfNoise;
  };
  if (inNoise(one)) return inNoise(first) ? 'both' : 'this';
  return inNoise(first) ? 'first' : 'none';
}

function forEachMetric<T>(of: (key: MetricKey) => T): Record<MetricKey, T> {
  return Object.fromEntries(metricKeys.map((key) => [key, of(key)])) as Record<MetricKey, T>;
}
