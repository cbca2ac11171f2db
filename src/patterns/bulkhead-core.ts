/** Bulkhead core: who may run, who waits and who is turned away, in two counters. */
import { count, ms } from './option.ts';
import type { OptionsIn } from './option-set.ts';

/** What can be set on a bulkhead, with defaults, units and limits. */
export const bulkheadOptions = {
  concurrentMax: count(10, 1, 'calls at the same time'),
  queueMax: count(0, 0, 'calls that wait for a place; 0 rejects at once'),
  queueMs: ms(500, 1, 'longest wait in the queue'),
};

export type BulkheadOptions = OptionsIn<typeof bulkheadOptions>;

export class BulkheadCore {
  private readonly options: BulkheadOptions;
  private running = 0;
  private queued = 0;

  constructor(options: BulkheadOptions) {
    this.options = options;
  }

  /** Calls that hold a place: 0 to `concurrentMax`. */
  get active(): number {
    return this.running;
  }

  /** Calls in the queue: 0 to `queueMax`, and 0 while a place is free. */
  get waiting(): number {
    return this.queued;
  }

  /** A call comes. `run`: it has a place. `wait`: it stands in the queue. */
  enter(): 'run' | 'wait' | 'full' {
    if (this.running < this.options.concurrentMax) {
      this.running += 1;
      return 'run';
    }
    if (this.queued < this.options.queueMax) {
      this.queued += 1;
      return 'wait';
    }
    return 'full';
  }

  /** The work of a call has ended. True if its place goes to the first in the queue, false if it is free. */
  leave(): boolean {
    if (this.queued > 0) {
      this.queued -= 1;
      return true;
    }
    this.running -= 1;
    return false;
  }

  /** A call leaves the queue without having run. */
  giveUp(): void {
    this.queued -= 1;
  }
}
