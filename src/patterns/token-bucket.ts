/** Token bucket: grants a share of what comes in, and a floor per second however little that is. */
import type { Millis } from './clock.ts';

/** `now` must not run backwards. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly capacity: number;
  private tokens: number;
  private filledAtMs: Millis | undefined = undefined;

  /**
   * It starts with what the floor gives in one second.
   *
   * @param perSecond Tokens that come by themselves.
   * @param capacity The most that it holds.
   */
  constructor(perSecond: number, capacity: number) {
    this.perSecond = perSecond;
    this.capacity = capacity;
    this.tokens = Math.min(capacity, perSecond);
  }

  /** Puts tokens in; what it cannot hold is lost. */
  deposit(tokens: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + tokens);
  }

  /** Takes one token, if there is one. */
  take(now: Millis): boolean {
    this.deposit(((now - (this.filledAtMs ?? now)) / 1000) * this.perSecond);
    this.filledAtMs = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
