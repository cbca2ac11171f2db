/** Simulated clock: virtual time, in which an hour passes as fast as its timers can be fired and every run is the same. */
import type { Clock, Millis } from './clock.ts';

interface Timer {
  readonly dueMs: Millis;
  /** Among timers due at the same time, the one that was set first fires first. */
  readonly order: number;
  readonly fire: () => void;
  /** Place in the heap; -1 once fired or cancelled. */
  place: number;
}

/**
 * Time stands still until a test moves it. Between two timers all promise jobs run to their end: one `setImmediate`
 * does that, because it comes after every job that is queued, and every job that those queue. There must be no real I/O
 * inside the simulation, since nothing here waits for it.
 */
export class SimClock implements Clock {
  private nowMs: Millis;
  private set = 0;
  /** A binary heap, the next timer first. A cancelled timer leaves it at once. */
  private readonly heap: Timer[] = [];

  constructor(startMs: Millis = 0) {
    this.nowMs = startMs;
  }

  now(): Millis {
    return this.nowMs;
  }

  after(delayMs: Millis, fire: () => void): () => void {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in ms, got NaN');
    const timer: Timer = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: this.set,
      fire,
      place: this.heap.length,
    };
    this.set += 1;
    this.heap.push(timer);
    this.rise(timer);
    return () => {
      this.remove(timer);
    };
  }

  /** How many timers are set: 0 when nothing is left behind. */
  get pending(): number {
    return this.heap.length;
  }

  /** Lets `ms` pass: fires what falls due, in order, each with the time it is due at. */
  async advance(ms: Millis): Promise<void> {
    await this.fireUntil(this.nowMs + ms);
  }

  /** Fires timers until none is left; time ends at the last one. Never returns if timers always set new ones. */
  async runUntilIdle(): Promise<void> {
    await this.fireUntil(undefined);
  }

  private async fireUntil(endMs: Millis | undefined): Promise<void> {
    await jobsDone();
    for (let next = this.heap[0]; next !== undefined; next = this.heap[0]) {
      if (endMs !== undefined && next.dueMs > endMs) break;
      this.remove(next);
      this.nowMs = next.dueMs;
      next.fire();
      await jobsDone();
    }
    if (endMs !== undefined) this.nowMs = endMs;
  }

  private remove(timer: Timer): void {
    if (timer.place < 0) return;
    const last = this.heap.pop();
    if (last !== undefined && last !== timer) {
      this.put(last, timer.place);
      this.rise(last);
      this.sink(last);
    }
    timer.place = -1;
  }

  private rise(timer: Timer): void {
    for (;;) {
      const parent = this.heap[(timer.place - 1) >> 1];
      if (timer.place === 0 || parent === undefined || comesBefore(parent, timer)) return;
      this.swap(parent, timer);
    }
  }

  private sink(timer: Timer): void {
    for (;;) {
      const left = this.heap[2 * timer.place + 1];
      const right = this.heap[2 * timer.place + 2];
      const child = left !== undefined && right !== undefined && comesBefore(right, left) ? right : left;
      if (child === undefined || comesBefore(timer, child)) return;
      this.swap(timer, child);
    }
  }

  private swap(one: Timer, other: Timer): void {
    const place = one.place;
    this.put(one, other.place);
    this.put(other, place);
  }

  private put(timer: Timer, place: number): void {
    this.heap[place] = timer;
    timer.place = place;
  }
}

function comesBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

/** Resolves when every promise job has run. */
function jobsDone(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
