/** Sliding window: the moments of the calls of the last so many milliseconds, exactly. */
import type { Millis } from './clock.ts';

/** Holds one number per call in the window. */
export class SlidingWindow {
  private readonly windowMs: Millis;
  /** Ascending; what lies before `first` has left the window. */
  private times: Millis[] = [];
  private first = 0;

  constructor(windowMs: Millis) {
    this.windowMs = windowMs;
  }

  /** Calls in (now - windowMs, now]. A clock that was set back forgets what lies ahead of it. */
  count(now: Millis): number {
    while (this.oldestMs <= now - this.windowMs) this.first += 1;
    while (this.times.length > this.first && (this.times.at(-1) ?? now) > now) this.times.pop();
    // Moved together when half of it is waste, so that this costs each call a constant share.
    if (this.first > 32 && this.first * 2 > this.times.length) {
      this.times = this.times.slice(this.first);
      this.first = 0;
    }
    return this.times.length - this.first;
  }

  /** The moment of the oldest call that `count` has left; infinity if there is none. */
  get oldestMs(): Millis {
    return this.times[this.first] ?? Infinity;
  }

  /** A call at `now`, after `count(now)`. */
  add(now: Millis): void {
    this.times.push(now);
  }
}
