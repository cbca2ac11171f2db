/** Load plan: what load workers, metronome and canary are told, and what they report. */
import type { MessagePort } from 'node:worker_threads';
import { encodeHistogram, type EncodedHistogram, sumHistograms } from './histogram.ts';
import type { LoopDelayReport } from './loop-delay.ts';
import { type ClassReport, endings, mergeClassReports } from './recorder.ts';
import { type LoadStep, mergeSteps } from './recorder-steps.ts';
import { forEachClass, type RequestClass } from './request-class.ts';

/** The moments of a trial, on the clock that all threads share (`monotonicMs`). */
export interface TrialTimes {
  /** Start of the warm-up. */
  readonly startMs: number;
  readonly windowStartMs: number;
  readonly windowEndMs: number;
  /** What has no answer now counts as in flight at the end. */
  readonly deadlineMs: number;
}

/** Requests are sent at the times of a schedule, whatever became of those before. */
export interface OpenLoop {
  readonly kind: 'open';
  /** Intended send times in ms from `startMs`, ascending; see `planArrivals`. */
  readonly dueMs: Float64Array;
  /** Where the metronome says that something is due. */
  readonly ticks: MessagePort;
}

/** Users who send, wait for the answer, think, and send again. The in-flight cap does not apply: `users` is one. */
export interface ClosedLoop {
  readonly kind: 'closed';
  /** Users over all workers; user u belongs to worker u % workers. They start spread over one think time. */
  readonly users: number;
  readonly thinkMs: number;
}

/** One load worker's part of a trial. Its three ports have to be in the transfer list (`portsOf`). */
export interface LoadTask {
  /** The gateway's, on 127.0.0.1. */
  readonly gatewayPort: number;
  /** From 0. Of the schedule the worker takes each index with index % workers === worker. */
  readonly worker: number;
  readonly workers: number;
  readonly loop: OpenLoop | ClosedLoop;
  /** Requests that this worker may have in flight; an arrival beyond that is skipped and counted. */
  readonly inFlightMax: number;
  /** Pulses for the worker's own loop. They have to go on past the window's end, or to end with `lastPulse`. */
  readonly pulses: MessagePort;
  /** Takes `FromLoad`, brings `ToLoad`. */
  readonly progress: MessagePort;
}

/** `ready` once: all code is loaded, the times are waited for. Then a step every 250 ms. */
export type FromLoad = 'ready' | LoadStep;

/** The times once, which begin the trial; after them perhaps `stopLoad`. */
export type ToLoad = TrialTimes | typeof stopLoad;

/**
 * Tells a load worker to offer nothing more, to count what is in flight as such, and to report at once: the window ends
 * at that moment.
 */
export const stopLoad = 'stop';

export function portsOf(task: LoadTask): MessagePort[] {
  return [task.pulses, task.progress, ...(task.loop.kind === 'open' ? [task.loop.ticks] : [])];
}

/** What a load worker, or all of them together, saw. Only requests whose intended time lies in the window. */
export interface LoadReport {
  /** Where the window really ended: at `times.windowEndMs`, or at `stopLoad`. */
  readonly windowEndMs: number;
  readonly classes: Readonly<Record<RequestClass, ClassReport>>;
  /** Intended to actual send, of every request that was sent, whatever its class, in µs. */
  readonly lateness: EncodedHistogram;
  /** What became of each order, by its index; see `fateOf`. */
  readonly fates: Uint8Array;
  /** The intended time of each order that has a fate, by its index. */
  readonly intendedMs: Float64Array;
  /** The timeline, warm-up and drain included. */
  readonly steps: readonly LoadStep[];
  /** The load worker's own loop; one for each worker. */
  readonly loops: readonly LoopDelayReport[];
  /** Whether the worker had real-time priority. */
  readonly realTime: boolean;
}

/** What can become of an order of the window. */
const fates = [...endings, 'skipped'] as const;
export type OrderFate = (typeof fates)[number];

/** A fate as a byte; 0 is left for indices that are no order of the window. */
export function fateCode(fate: OrderFate): number {
  return fates.indexOf(fate) + 1;
}

/** The fate of the order with this index; undefined: there is none in the window. */
export function fateOf(report: Pick<LoadReport, 'fates'>, index: number): OrderFate | undefined {
  return fates[(report.fates[index] ?? 0) - 1];
}

/** The id of the order with this index, unique in a trial: `o-` in the window, `w-` in the warm-up. */
export function orderId(index: number, inWindow: boolean): string {
  return `${inWindow ? 'o' : 'w'}-${index}`;
}

/** The reports of all load workers of a trial as one. There must be one at least. */
export function mergeLoadReports(reports: readonly LoadReport[]): LoadReport {
  const length = Math.max(...reports.map((report) => report.fates.length));
  const fates = new Uint8Array(length);
  const intendedMs = new Float64Array(length);
  for (const report of reports) {
    // No two workers have an order in common, so that one of the two bytes is 0.
    report.fates.forEach((fate, index) => {
      if (fate === 0) return;
      fates[index] = fate;
      intendedMs[index] = report.intendedMs[index] ?? 0;
    });
  }
  return {
    windowEndMs: Math.max(...reports.map((report) => report.windowEndMs)),
    classes: forEachClass((name) => mergeClassReports(reports.map((report) => report.classes[name]))),
    lateness: encodeHistogram(sumHistograms(reports.map((report) => report.lateness))),
    fates,
    intendedMs,
    steps: mergeSteps(reports.map((report) => report.steps)),
    loops: reports.flatMap((report) => report.loops),
    realTime: reports.every((report) => report.realTime),
  };
}

/** `workerData` of the metronome's thread. The ports have to be in its transfer list. */
export interface MetronomePlan {
  /** Intended send times in ms from the start; empty in a closed loop. */
  readonly dueMs: Float64Array;
  /** One port per load worker; takes `Tick`s. */
  readonly ticks: readonly MessagePort[];
  /** One port per loop that is observed; takes `Pulse`s. */
  readonly pulses: readonly MessagePort[];
  /** Shared memory; anything but 0 in its first element, with a notify, ends the metronome. */
  readonly stop: Int32Array;
}

/** The moment (`monotonicMs`) up to which everything is due. */
export type Tick = number;

export type FromMetronome = 'ready';

/** Starts the beat. Said once. */
export interface ToMetronome {
  readonly startMs: number;
}

/** `workerData` of the canary's thread. */
export interface CanaryPlan {
  readonly pulses: MessagePort;
}

export type ToCanary =
  | { readonly type: 'window'; readonly fromMs: number; readonly toMs: number }
  /** Ends the window early. */
  | { readonly type: 'end-window'; readonly atMs: number };

export type FromCanary =
  | { readonly type: 'ready' }
  | { readonly type: 'sample'; readonly atMs: number; readonly loopDelayP99Us: number | null }
  /** Once, at the end of the window. The thread ends by itself. */
  | { readonly type: 'report'; readonly report: LoopDelayReport };
