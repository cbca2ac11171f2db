/**
 * Pulses: messages that the metronome sends to a loop in even steps, to find out how long an event has to wait there.
 *
 * The metronome does not wait for the loop, so a loop that blocks for 1 s meets 1,000 pulses afterwards, which have
 * waited from 1,000 ms down to nothing. The distribution of the waits is weighted by time without further ado. A timer
 * inside the loop would see the same block once. This is the open-loop principle, applied to the loop itself.
 */
import { createHistogram, type Histogram, percentileUs, recordUs } from './histogram.ts';

/** Time between two pulses. They are due at whole multiples of it on the shared clock. */
export const pulseEveryMs = 1;

/** Which multiple a moment belongs to. */
export function beatAt(nowMs: number): number {
  return Math.floor(nowMs / pulseEveryMs);
}

/** A pulse is nothing but the moment at which it was sent (`monotonicMs`); the last one is `lastPulse`. */
export type Pulse = number;

/** Says that no pulse will follow. */
export const lastPulse: Pulse = Infinity;

/** What arrives at one loop, turned into waits. Pure: the moments come from outside. */
export class PulseMeter {
  /** Waits of the pulses of the window, in µs: one value for each of its beats. */
  readonly window: Histogram = createHistogram();
  private readonly interval = createHistogram();
  private firstBeat = Infinity;
  private lastBeat = Infinity;
  private previousBeat: number | null = null;

  /** The beats in [fromMs, toMs) belong to the window, whenever their pulses arrive. Called again, it moves the bounds. */
  setWindow(fromMs: number, toMs: number): void {
    this.firstBeat = Math.ceil(fromMs / pulseEveryMs);
    this.lastBeat = Math.ceil(toMs / pulseEveryMs) - 1;
  }

  /** Takes a pulse, and says where it lies. They arrive in the order in which they were sent. */
  record(sentMs: Pulse, arrivedMs: number): 'before' | 'inside' | 'after' {
    if (sentMs === lastPulse) return 'after';
    const beat = beatAt(sentMs);
    // A metronome that was itself kept waiting by the host sends one pulse for all the beats that it missed.
    const previousBeat = this.previousBeat ?? Math.min(beat, this.firstBeat) - 1;
    this.previousBeat = beat;
    const beatsInWindow = Math.min(beat, this.lastBeat) - Math.max(previousBeat, this.firstBeat - 1);
    // Two threads agree on the time to about a microsecond only.
    const waitUs = Math.max(0, (arrivedMs - sentMs) * 1000);
    recordUs(this.interval, waitUs, beat - previousBeat);
    recordUs(this.window, waitUs, Math.max(0, beatsInWindow));
    if (beat < this.firstBeat) return 'before';
    return beat > this.lastBeat ? 'after' : 'inside';
  }

  /** The p99 of the waits since this was last asked, in or out of the window, in µs; null: no pulse arrived. */
  takeIntervalP99Us(): number | null {
    const p99 = percentileUs(this.interval, 99);
    this.interval.reset();
    return p99;
  }
}
