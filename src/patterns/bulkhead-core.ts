/** Bulkhead core: who may run, who waits and who is turned away, in two counters. */
import type { OptionsOf } from './options.ts';

export class BulkheadCore {
  private readonly options: OptionsOf<'bulkhead'>;
  private running = 0;
  private queued = 0;

  constructor(options: OptionsOf<'bulkhead'>) {
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
