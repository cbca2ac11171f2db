/** Token bucket: tokens that come by themselves at a steady rate, or are put in, and are taken one by one. */
import type { Millis } from './clock.ts';

/** `now` must not run backwards; if it does, nothing is refilled until it has passed again where it was. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly capacity: number;
  private tokens: number;
  private filledAtMs: Millis | undefined = undefined;

  /**
   * @param perSecond Tokens that come by themselves.
   * @param capacity The most that it holds.
   * @param tokens What it starts with; what comes in one second unless told otherwise.
   */
  constructor(perSecond: number, capacity: number, tokens = Math.min(capacity, perSecond)) {
    this.perSecond = perSecond;
    this.capacity = capacity;
    this.tokens = tokens;
  }

  /** Puts tokens in; what it cannot hold is lost. */
  deposit(tokens: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + tokens);
  }

  /** The tokens that there are, fractions included. */
  available(now: Millis): number {
    this.filledAtMs ??= now;
    const refilled = (Math.max(0, now - this.filledAtMs) / 1000) * this.perSecond;
    return Math.min(this.capacity, this.tokens + refilled);
  }

  /** Takes one token, if there is one. */
  take(now: Millis): boolean {
    const tokens = this.available(now);
    if (tokens < 1) return false;
    this.tokens = tokens - 1;
    this.filledAtMs = now;
    return true;
  }
}
