/** Steps: what the load did in each step of the timeline, for the live line and for the plot. Pure. */
import { createHistogram, type Histogram, percentileUs, recordUs } from './histogram.ts';

/** Length of a step of the timeline. */
export const stepMs = 250;

/** One step, as one load worker saw it: everything that happened in it, the warm-up's requests too. */
export interface LoadStep {
  /** Start of the step in ms, relative to the start of the window; negative in the warm-up. */
  readonly atMs: number;
  /** Orders whose time came in the step. */
  readonly offered: number;
  readonly skipped: number;
  /** Orders confirmed in the step, whenever they were sent. */
  readonly confirmed: number;
  readonly failed: number;
  /** Requests without an answer at the end of the step, of all classes. */
  readonly inFlight: number;
  /** Nearest rank, so the largest when there were fewer than 100; null when there were none. */
  readonly responseP99Us: number | null;
  readonly latenessP99Us: number | null;
}

export class StepRecorder {
  /** All steps that are over, oldest first. */
  readonly steps: LoadStep[] = [];
  private readonly windowStartMs: number;
  private readonly onStep: (step: LoadStep) => void;
  private startMs: number;
  private readonly response = createHistogram();
  private readonly lateness = createHistogram();
  private offered = 0;
  private skipped = 0;
  private confirmed = 0;
  private failed = 0;
  private inFlight = 0;

  /** `onStep` hears of each step when it is over. The moments that the methods take must not go back. */
  constructor(startMs: number, windowStartMs: number, onStep: (step: LoadStep) => void) {
    this.windowStartMs = windowStartMs;
    this.onStep = onStep;
    // Steps begin at the window's start plus or minus whole steps, in every worker at the same moments.
    this.startMs = windowStartMs - Math.ceil((windowStartMs - startMs) / stepMs) * stepMs;
  }

  /** Ends the steps that are over at `nowMs`. */
  advance(nowMs: number): void {
    while (nowMs >= this.startMs + stepMs) {
      const step: LoadStep = {
        atMs: Math.round(this.startMs - this.windowStartMs),
        offered: this.offered,
        skipped: this.skipped,
        confirmed: this.confirmed,
        failed: this.failed,
        inFlight: this.inFlight,
        responseP99Us: takeP99(this.response),
        latenessP99Us: takeP99(this.lateness),
      };
      this.offered = this.skipped = this.confirmed = this.failed = 0;
      this.startMs += stepMs;
      this.steps.push(step);
      this.onStep(step);
    }
  }

  orderOffered(nowMs: number): void {
    this.advance(nowMs);
    this.offered += 1;
  }

  orderSkipped(): void {
    this.skipped += 1;
  }

  requestSent(latenessUs: number): void {
    this.inFlight += 1;
    recordUs(this.lateness, latenessUs);
  }

  requestEnded(nowMs: number): void {
    this.advance(nowMs);
    this.inFlight -= 1;
  }

  orderEnded(confirmed: boolean, responseUs: number): void {
    if (confirmed) this.confirmed += 1;
    else this.failed += 1;
    recordUs(this.response, responseUs);
  }
}

/**
 * The steps of several workers as one. Counts are sums; the p99 of a step is the largest of the workers' own, because
 * percentiles do not add up.
 */
export function mergeSteps(perWorker: readonly (readonly LoadStep[])[]): LoadStep[] {
  const byTime = new Map<number, LoadStep>();
  for (const step of perWorker.flat()) {
    const other = byTime.get(step.atMs);
    byTime.set(step.atMs, other === undefined ? step : addSteps(other, step));
  }
  return [...byTime.values()].sort((a, b) => a.atMs - b.atMs);
}

function addSteps(a: LoadStep, b: LoadStep): LoadStep {
  return {
    atMs: a.atMs,
    offered: a.offered + b.offered,
    skipped: a.skipped + b.skipped,
    confirmed: a.confirmed + b.confirmed,
    failed: a.failed + b.failed,
    inFlight: a.inFlight + b.inFlight,
    responseP99Us: larger(a.responseP99Us, b.responseP99Us),
    latenessP99Us: larger(a.latenessP99Us, b.latenessP99Us),
  };
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function takeP99(histogram: Histogram): number | null {
  const p99 = percentileUs(histogram, 99);
  histogram.reset();
  return p99;
}
