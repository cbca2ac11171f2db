/** Trial progress: the latest news from all parts of a trial, as one picture. */
import type { BreakerState } from '../patterns/events.ts';
import type { GatewaySample } from './gateway-plan.ts';
import type { TargetSample } from './life-story.ts';
import type { TrialTimes } from './load-plan.ts';
import { type LoadStep, stepMs } from './recorder-steps.ts';
import { isExternal, type Target, type TargetPlan } from './target-plan.ts';
import { monotonicMs } from './time.ts';
import { mebibyte } from './units.ts';

export type TrialPhase = 'starting' | 'warm-up' | 'measuring' | 'draining' | 'collecting';

export interface TrialProgress {
  readonly stack: string;
  readonly phase: TrialPhase;
  /** Left of the phase. */
  readonly leftMs: number;
  /** Orders per second, over the last second. */
  readonly rates: {
    readonly offeredPerS: number;
    readonly confirmedPerS: number;
    readonly failedPerS: number;
  };
  /** Null: the service is down. */
  readonly rssBytes: number | null;
  /** Resident memory near which the service dies. Null: nobody watches it. */
  readonly memoryFullBytes: number | null;
  /** Null: the stack has no breaker. */
  readonly breakerState: BreakerState | null;
}

/** What Node itself occupies beside the leak's heap, roughly. */
const nodeRssBytes = 80 * mebibyte;
/** Steps that rates are taken over: one second. */
const rateSteps = Math.round(1000 / stepMs);

function memoryFullBytes({ leak, memoryLimitBytes, swapBytes, heapBytes }: TargetPlan): number {
  return leak === 'rss' ? memoryLimitBytes + swapBytes : heapBytes + nodeRssBytes;
}

export class TrialProgressMeter {
  private readonly stack: string;
  private readonly memoryFullBytes: number | null;
  private readonly onProgress: (progress: TrialProgress) => void;
  private current: TrialPhase = 'starting';
  private phaseEndMs = 0;
  private rssBytes: number | null = null;
  private breakerState: BreakerState | null = null;
  private readonly steps = new Map<number, LoadStep[]>();
  private timer: NodeJS.Timeout | undefined;

  constructor(stack: string, target: Target, onProgress: (progress: TrialProgress) => void) {
    this.stack = stack;
    this.memoryFullBytes = isExternal(target) ? null : memoryFullBytes(target);
    this.onProgress = onProgress;
  }

  /** Enters a phase that lasts until `endMs` (0: unknown). */
  phase(phase: TrialPhase, endMs: number): void {
    this.current = phase;
    this.phaseEndMs = endMs;
    this.show();
  }

  /** Goes through the timed phases by itself from now on, until `end`. */
  follow(times: TrialTimes): void {
    const update = () => {
      const nowMs = monotonicMs();
      if (nowMs < times.windowStartMs) this.phase('warm-up', times.windowStartMs);
      else if (nowMs < times.windowEndMs) this.phase('measuring', times.windowEndMs);
      else if (this.current !== 'collecting') this.phase('draining', times.deadlineMs);
    };
    update();
    this.timer = setInterval(update, stepMs);
  }

  end(): void {
    clearInterval(this.timer);
  }

  targetSample(sample: TargetSample): void {
    this.rssBytes = sample.rssBytes;
  }

  gatewaySample(sample: GatewaySample): void {
    this.breakerState = sample.breakerState;
  }

  loadStep(step: LoadStep, worker: number): void {
    const steps = this.steps.get(worker) ?? [];
    this.steps.set(worker, [...steps, step].slice(-rateSteps));
  }

  private show(): void {
    this.onProgress({
      stack: this.stack,
      phase: this.current,
      leftMs: Math.max(0, this.phaseEndMs - monotonicMs()),
      rates: {
        offeredPerS: this.perSecond((step) => step.offered),
        confirmedPerS: this.perSecond((step) => step.confirmed),
        failedPerS: this.perSecond((step) => step.failed),
      },
      rssBytes: this.rssBytes,
      memoryFullBytes: this.memoryFullBytes,
      breakerState: this.breakerState,
    });
  }

  private perSecond(of: (step: LoadStep) => number): number {
    let total = 0;
    for (const steps of this.steps.values()) {
      for (const step of steps) total += of(step) / ((steps.length * stepMs) / 1000);
    }
    return Math.round(total);
  }
}
