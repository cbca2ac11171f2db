/** Rolling window: how many calls and failures there were lately, in constant memory and constant time per call. */
import type { Millis } from './clock.ts';

/**
 * How finely the window rolls. It is a ring of this many buckets, so it covers the last `windowMs` less at most one
 * bucket of the oldest calls.
 */
const bucketsPerWindow = 10;

export class RollingWindow {
  private readonly bucketMs: Millis;
  private readonly calls = new Array<number>(bucketsPerWindow).fill(0);
  private readonly failures = new Array<number>(bucketsPerWindow).fill(0);
  /** Number of the newest bucket, counted from the clock's zero, and its place in the ring. */
  private newest = 0;
  private place = 0;
  /** When the newest bucket ends. */
  private newestEndsMs: Millis;
  private callsTotal = 0;
  private failuresTotal = 0;

  constructor(windowMs: Millis) {
    this.bucketMs = windowMs / bucketsPerWindow;
    this.newestEndsMs = this.bucketMs;
  }

  /** Adds a call that ended at `now`. Times must not run backwards. */
  add(now: Millis, isFailure: boolean): void {
    this.roll(now);
    const { place } = this;
    this.calls[place] = (this.calls[place] ?? 0) + 1;
    this.callsTotal += 1;
    if (!isFailure) return;
    this.failures[place] = (this.failures[place] ?? 0) + 1;
    this.failuresTotal += 1;
  }

  /** Calls in the window that ends at `now`. */
  callsAt(now: Millis): number {
    this.roll(now);
    return this.callsTotal;
  }

  /** Failures among them. */
  failuresAt(now: Millis): number {
    this.roll(now);
    return this.failuresTotal;
  }

  clear(): void {
    this.calls.fill(0);
    this.failures.fill(0);
    this.callsTotal = 0;
    this.failuresTotal = 0;
  }

  /** Moves on to the bucket of `now` and empties those that it enters; after a long rest that is all of them, once. */
  private roll(now: Millis): void {
    // A comparison for nearly every call; a division only for the first one in a bucket.
    if (now < this.newestEndsMs) return;
    const bucket = Math.floor(now / this.bucketMs);
    if (bucket <= this.newest) return;
    const first = Math.max(this.newest + 1, bucket - bucketsPerWindow + 1);
    for (let entered = first; entered <= bucket; entered += 1) {
      const place = entered % bucketsPerWindow;
      this.callsTotal -= this.calls[place] ?? 0;
      this.failuresTotal -= this.failures[place] ?? 0;
      this.calls[place] = 0;
      this.failures[place] = 0;
    }
    this.newest = bucket;
    this.place = bucket % bucketsPerWindow;
    this.newestEndsMs = (bucket + 1) * this.bucketMs;
  }
}
