/** Deadline queue: all that wait equally long, in order, watched by one timer for them all. */
import type { Clock, Millis } from './clock.ts';
import { Fifo, type Linked, leaveLine } from './fifo.ts';

const sleepMaxMs: Millis = 100;

export interface Waiting extends Linked {
  /**
   * Set by the queue, in whole ms: a Node timer is no more exact, and an integer needs no memory of its own, as a
   * fraction does.
   */
  dueMs: Millis;
}

/**
 * A timer for each call would cost more than the rest of its way through the layers. Since everyone waits equally long,
 * whoever came first is due first: one timer, armed for the first in line, is exact to the millisecond. It is not
 * disarmed when that one leaves early; it fires, finds nobody due, and is armed for whoever is first by then. It never
 * sleeps for more than `sleepMaxMs`, so that a queue that has become empty keeps its process alive for no longer.
 */
export class DeadlineQueue<T extends Waiting> {
  private readonly line = new Fifo<T>();
  private readonly clock: Clock;
  private readonly waitMs: Millis;
  private readonly expire: (item: T) => void;
  private armed = false;

  /** `expire` is called with each item whose time is up, after it has left the queue. */
  constructor(clock: Clock, waitMs: Millis, expire: (item: T) => void) {
    this.clock = clock;
    this.waitMs = waitMs;
    this.expire = expire;
  }

  /** Who has waited longest. */
  get first(): T | undefined {
    return this.line.first;
  }

  add(item: T): void {
    const now = this.clock.now();
    item.dueMs = Math.ceil(now + this.waitMs);
    this.line.push(item);
    if (!this.armed) this.arm(item.dueMs - now);
  }

  private arm(delayMs: Millis): void {
    this.armed = true;
    this.clock.after(Math.min(delayMs, sleepMaxMs), this.fire);
  }

  private readonly fire = (): void => {
    const now = this.clock.now();
    try {
      // Still counts as armed: whoever is added meanwhile stands behind those who are due before.
      for (let first = this.line.first; first !== undefined && first.dueMs <= now; first = this.line.first) {
        leaveLine(first);
        this.expire(first);
      }
    } finally {
      this.armed = false;
      const first = this.line.first;
      // A real timer may fire a fraction of a millisecond early; then this waits for the rest.
      if (first !== undefined) this.arm(first.dueMs - this.clock.now());
    }
  };
}
