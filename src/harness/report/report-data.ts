/** Report data: a result as what the report shows of it: figures per stack, and the lines that its script draws. Pure. */
import type { Comparison } from '../comparison.ts';
import { type Histogram, knownPercentileUs, percentileUs, sumHistograms } from '../histogram.ts';
import { percentileSeries, shareWithin } from '../plot/percentile-series.ts';
import { stepMs } from '../recorder-steps.ts';
import type { Result, StackResult, Trial } from '../result.ts';
import { type StackSummary, trialsToShow } from '../summary.ts';
import { type OrderClass, orderClasses, type PageData, type PercentileLine } from './page-data.ts';
import { trialTimeline } from './trial-timeline.ts';

/** A stack of which at least one trial was run. */
export interface ReportStack {
  readonly name: string;
  readonly layers: StackResult['layers'];
  readonly trials: readonly Trial[];
  /** Of the valid trials; of all where none is valid. */
  readonly summary: StackSummary;
  /** What the layers reported, by type. */
  readonly events: Readonly<Record<string, number>>;
  readonly orders: Readonly<Record<OrderClass, OrderFigures>>;
  readonly gatewayDelay: readonly (number | null)[];
  readonly canaryDelay: readonly (number | null)[];
}

export interface OrderFigures {
  readonly count: number;
  /** From 0 to 1; null: no samples. */
  readonly withinSla: number | null;
  /** In µs, at `tablePercents` and then the largest; null: too few samples to say. */
  readonly percentilesUs: readonly (number | null)[];
}

export interface ReportData {
  readonly result: Result;
  readonly comparison: Comparison;
  readonly slaMs: number;
  readonly stacks: readonly ReportStack[];
  /** Stacks of which no trial was run. */
  readonly missing: readonly string[];
  readonly page: PageData;
  /** How many trials of each stack have a timeline, and in which steps. */
  readonly timelines: { readonly trialsMax: number; readonly stepMs: number };
}

/** The percentiles that tables show. */
export const tablePercents = [50, 75, 90, 95, 99, 99.9, 99.99] as const;

/** Keeps the page small: rows over all timelines, and trials of a stack that have one. */
const timelineLimits = { rows: 9000, trials: 10 } as const;

export function reportData(result: Result, comparison: Comparison): ReportData {
  const { slaMs } = comparison;
  const measured = result.stacks
    .filter((stack) => stack.trials.length > 0)
    .map((stack, index) => {
      const summary = comparison.stacks[index]?.summary;
      if (summary === undefined) throw new Error(`the comparison is of another result: no ${stack.name}`);
      return { stack, summary, merged: mergedHistograms(stack) };
    });
  const rowsPerStep = rowsPerStepOf(measured.map(({ stack }) => stack));
  return {
    result,
    comparison,
    slaMs,
    stacks: measured.map(({ stack, summary, merged }) => reportStack(stack, summary, merged, slaMs)),
    missing: result.stacks.filter((stack) => stack.trials.length === 0).map((stack) => stack.name),
    page: {
      slaMs,
      stacks: measured.map(({ stack, merged }) => ({
        name: stack.name,
        percentiles: byClass((name) => lineOf(merged.orders[name])),
        gatewayDelay: lineOf(merged.gateway),
        canaryDelay: lineOf(merged.canary),
        timelines: stack.trials
          .slice(0, timelineLimits.trials)
          .map((trial, trialIndex) => trialTimeline(trial, trialIndex + 1, rowsPerStep)),
      })),
    },
    timelines: { trialsMax: timelineLimits.trials, stepMs: rowsPerStep * stepMs },
  };
}

interface MergedHistograms {
  readonly orders: Readonly<Record<OrderClass, Histogram>>;
  readonly gateway: Histogram;
  readonly canary: Histogram;
}

function mergedHistograms(stack: StackResult): MergedHistograms {
  const histograms = trialsToShow(stack.trials).map((trial) => trial.histograms);
  return {
    orders: byClass((name) => sumHistograms(histograms.map((one) => one.orders[name]))),
    gateway: sumHistograms(histograms.map((one) => one.loopDelay.gateway)),
    canary: sumHistograms(histograms.map((one) => one.loopDelay.canary)),
  };
}

function reportStack(
  stack: StackResult,
  summary: StackSummary,
  merged: MergedHistograms,
  slaMs: number,
): ReportStack {
  return {
    name: stack.name,
    layers: stack.layers,
    trials: stack.trials,
    summary,
    events: sumEvents(trialsToShow(stack.trials)),
    orders: byClass((name) => ({
      count: merged.orders[name].totalCount,
      withinSla: shareWithin(merged.orders[name], slaMs * 1000),
      percentilesUs: percentilesOf(merged.orders[name]),
    })),
    gatewayDelay: percentilesOf(merged.gateway),
    canaryDelay: percentilesOf(merged.canary),
  };
}

function byClass<T>(of: (name: OrderClass) => T): Record<OrderClass, T> {
  return Object.fromEntries(orderClasses.map((name) => [name, of(name)])) as Record<OrderClass, T>;
}

function percentilesOf(histogram: Histogram): (number | null)[] {
  return [
    ...tablePercents.map((percent) => knownPercentileUs(histogram, percent)),
    percentileUs(histogram, 100),
  ];
}

function lineOf(histogram: Histogram): PercentileLine | null {
  const points = percentileSeries(histogram);
  if (points.length === 0) return null;
  return {
    depth: points.map(({ percentile }) => Number((-Math.log10(1 - percentile / 100)).toFixed(4))),
    valueMs: points.map(({ valueUs }) => valueUs / 1000),
  };
}

function sumEvents(trials: readonly Trial[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { events } of trials) {
    for (const [type, count] of Object.entries(events)) sums.set(type, (sums.get(type) ?? 0) + count);
  }
  return Object.fromEntries([...sums].filter(([, count]) => count > 0));
}

function rowsPerStepOf(stacks: readonly StackResult[]): number {
  const rows = stacks
    .flatMap((stack) => stack.trials.slice(0, timelineLimits.trials))
    .reduce((sum, trial) => sum + trial.timeline.length, 0);
  return Math.max(1, Math.ceil(rows / timelineLimits.rows));
}
