/** Loop delay: what an event loop makes others wait for, measured by pulses from outside and by Node itself. */
import {
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { threadCpuMs } from './cpu-accounts.ts';
import { type EncodedHistogram, encodeHistogram, summarise } from './histogram.ts';
import { type Pulse, PulseMeter } from './pulse.ts';
import type { Distribution } from './result.ts';
import { monotonicMs } from './time.ts';

export interface LoopDelayReport {
  /** How long a message from outside waited, weighted by time: one value per ms of the window. */
  readonly delay: EncodedHistogram;
  readonly delayUs: Distribution;
  /**
   * Node's `monitorEventLoopDelay` at 1 ms, in µs, for comparison: the time between two firings of a timer, so that an
   * idle loop shows 1 ms and a block counts as one value, however long it was. Null: no value.
   */
  readonly sampledDelayUs: {
    readonly p50: number | null;
    readonly p99: number | null;
    readonly max: number | null;
  };
  /** Share of the window in which the loop had work, 0 to 1 (`performance.eventLoopUtilization`). */
  readonly utilization: number;
  /** Time in garbage collections that began in the window. */
  readonly gcMs: number;
  /** CPU time of the thread in the window; null where the system does not say. */
  readonly cpuMs: number | null;
}

/**
 * Measures the loop of the thread that it is made in. The window is open from the first pulse sent in it to the first
 * one sent after it: pulses that still queue behind a block at the window's end are counted.
 */
export class LoopDelayProbe {
  private readonly port: MessagePort;
  private readonly meter = new PulseMeter();
  private readonly sampled = monitorEventLoopDelay({ resolution: 1 });
  private readonly collections = new PerformanceObserver((list) => {
    this.countCollections(list.getEntries());
  });
  private readonly ended: Promise<void>;
  private end: () => void = () => undefined;
  private window = { fromMs: Infinity, toMs: Infinity };
  private utilizationBefore: ReturnType<typeof performance.eventLoopUtilization> | null = null;
  private utilization = 0;
  private gcMs = 0;
  private cpuBeforeMs: number | null = null;
  private cpuMs: number | null = null;

  /** Listens to the pulses of the port until `report` is through, or until the metronome has ended. */
  constructor(port: MessagePort) {
    this.port = port;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    port.on('message', (sentMs: Pulse) => {
      this.onPulse(sentMs);
    });
    port.once('close', () => {
      this.closeWindow();
      this.end();
    });
  }

  /** Measures from `fromMs` to `toMs` (`monotonicMs`). Once per probe. */
  startWindow(fromMs: number, toMs: number): void {
    this.window = { fromMs, toMs };
    this.meter.setWindow(fromMs, toMs);
    this.collections.observe({ entryTypes: ['gc'] });
  }

  /** Ends the window early, at `atMs`. */
  endWindow(atMs: number): void {
    // Before it has begun, nothing is left of it: the next pulse comes after the window.
    this.window = { fromMs: Math.min(this.window.fromMs, atMs), toMs: Math.min(this.window.toMs, atMs) };
    this.meter.setWindow(this.window.fromMs, this.window.toMs);
  }

  /** The p99 of the delays since this was last asked, in µs; null: no pulse arrived since. For timelines. */
  takeIntervalP99Us(): number | null {
    return this.meter.takeIntervalP99Us();
  }

  /** Waits for the last pulse of the window, stops listening, and reports. */
  async report(): Promise<LoopDelayReport> {
    await this.ended;
    // Node hands over the collections of a turn of the loop at the end of that turn.
    await turnOfTheLoop();
    this.countCollections(this.collections.takeRecords());
    this.collections.disconnect();
    this.port.close();
    return {
      delay: encodeHistogram(this.meter.window),
      delayUs: summarise(this.meter.window),
      sampledDelayUs: {
        p50: this.sampledUs(50),
        p99: this.sampledUs(99),
        max: this.sampled.count === 0 ? null : Math.round(this.sampled.max / 1000),
      },
      utilization: this.utilization,
      gcMs: this.gcMs,
      cpuMs: this.cpuMs,
    };
  }

  private onPulse(sentMs: Pulse): void {
    const place = this.meter.record(sentMs, monotonicMs());
    if (place === 'inside' && this.utilizationBefore === null) {
      this.utilizationBefore = performance.eventLoopUtilization();
      this.cpuBeforeMs = threadCpuMs();
      this.sampled.enable();
    }
    if (place === 'after') {
      this.closeWindow();
      this.end();
    }
  }

  private closeWindow(): void {
    this.sampled.disable();
    if (this.utilizationBefore === null) return;
    this.utilization = performance.eventLoopUtilization(this.utilizationBefore).utilization;
    this.utilizationBefore = null;
    const cpuMs = threadCpuMs();
    if (cpuMs !== null && this.cpuBeforeMs !== null) this.cpuMs = cpuMs - this.cpuBeforeMs;
  }

  private sampledUs(percent: number): number | null {
    return this.sampled.count === 0 ? null : Math.round(this.sampled.percentile(percent) / 1000);
  }

  private countCollections(entries: readonly PerformanceEntry[]): void {
    // Entries count from the origin of `performance.now()`.
    const originMs = monotonicMs() - performance.now();
    for (const { startTime, duration } of entries) {
      const atMs = originMs + startTime;
      if (atMs >= this.window.fromMs && atMs < this.window.toMs) this.gcMs += duration;
    }
  }
}
