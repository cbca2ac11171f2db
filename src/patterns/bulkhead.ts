/** Bulkhead: bounds how many calls run at the same time, so that one slow target cannot take everything. */
import { BulkheadCore, type BulkheadOptions, bulkheadOptions } from './bulkhead-core.ts';
import { callWith, type Work } from './call.ts';
import type { Cancellable } from './cancellation.ts';
import { DeadlineQueue, type Waiting } from './deadline-queue.ts';
import { leaveLine } from './fifo.ts';
import { enter, layerOf, type Sink, Step } from './flow.ts';
import type { Layer, Runtime } from './layer.ts';
import { completeOptions } from './option-set.ts';
import { failed } from './outcome.ts';
import { realRuntime } from './real-runtime.ts';

/** A layer whose load can be read. */
export interface Bulkhead {
  readonly layer: Layer;
  /** Places that are taken, 0 to `concurrentMax`. */
  active(): number;
  /** Calls in the queue, 0 to `queueMax`. */
  waiting(): number;
}

/**
 * Lets `concurrentMax` calls run at the same time, has `queueMax` more wait for at most `queueMs` (first come, first
 * served) and answers `bulkhead-full` to the rest, at once. Who waits too long gets `queue-timeout`; who is cancelled
 * in the queue leaves it at once.
 *
 * A place is taken until the work has really ended, which may be later than the answer: an attempt that a timeout has
 * given up on, in particular one that it may not abort (`timeout.abort=false`), keeps its place until it settles. One
 * that never settles keeps it for good; that is what such work does to a pool of any kind.
 *
 * The places belong to the layer: one that is applied to two sends shares them.
 *
 * The pattern: "Bulkheads" in Michael Nygard, "Release It!", 2007; this is the kind that counts calls.
 *
 * @param options `concurrentMax` 10, `queueMax` 0, `queueMs` 500.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function createBulkhead(
  options: Partial<BulkheadOptions> = {},
  runtime: Runtime = realRuntime,
): Bulkhead {
  const complete = completeOptions('bulkhead', bulkheadOptions, options);
  const { clock, report } = runtime;
  const core = new BulkheadCore(complete);

  const queue = new DeadlineQueue<Waiter>(clock, complete.queueMs, (waiter) => {
    core.giveUp();
    try {
      report?.({ type: 'queue-timeout', atMs: clock.now() });
    } finally {
      waiter.expire();
    }
  });

  let freed = 0;
  let passingOn = false;
  /**
   * The work of a call has ended: its place goes on to the next. One after the other, because the next call may end
   * before this returns, as one does that a breaker inside rejects, and a long queue would not fit on the stack.
   */
  const leave = (): void => {
    freed += 1;
    if (passingOn) return;
    passingOn = true;
    for (; freed > 0; freed -= 1) {
      const next = core.leave() ? queue.first : undefined;
      if (next === undefined) continue;
      leaveLine(next);
      next.run();
    }
    passingOn = false;
  };

  const layer = layerOf((next) => {
    const run: typeof next = (request, call, sink) => {
      const place = new Place(leave, call.work, sink);
      return enter(next, request, callWith(call, call.cancellation, place), place);
    };
    return (request, call, sink) => {
      const { cancellation } = call;
      if (cancellation.cancelled) return sink.settle(failed('cancelled', { reason: cancellation.reason }));
      switch (core.enter()) {
        case 'run':
          return run(request, call, sink);
        case 'wait':
          return new Promise((resolve) => {
            const waiter: Waiter = {
              dueMs: 0,
              earlier: undefined,
              later: undefined,
              run: () => {
                cancellation.unlink(waiter);
                resolve(run(request, call, sink));
              },
              expire: () => {
                cancellation.unlink(waiter);
                resolve(sink.settle(failed('queue-timeout')));
              },
              cancel: (reason) => {
                core.giveUp();
                leaveLine(waiter);
                resolve(sink.settle(failed('cancelled', { reason })));
              },
            };
            queue.add(waiter);
            cancellation.link(waiter);
          });
        case 'full':
          report?.({ type: 'bulkhead-full', atMs: clock.now() });
          return sink.settle(failed('bulkhead-full'));
      }
    };
  });

  return { layer, active: () => core.active, waiting: () => core.waiting };
}

/** `createBulkhead` for those who do not ask for its load. */
export function bulkhead(options: Partial<BulkheadOptions> = {}, runtime: Runtime = realRuntime): Layer {
  return createBulkhead(options, runtime).layer;
}

/** A call in the queue. It leaves in one of three ways; the queue or the cancellation has let it go by then. */
interface Waiter extends Waiting, Cancellable {
  /** A place is free, and taken for it. */
  run(): void;
  /** It has waited too long. */
  expire(): void;
}

/** A place that is taken: by the call, and by whatever of its work goes on after its answer. */
class Place<Res> extends Step<Res> implements Work {
  private holders = 1;
  private readonly leave: () => void;
  /** Who outside of this bulkhead wants to know the same. */
  private readonly outerWork: Work | undefined;

  constructor(leave: () => void, outerWork: Work | undefined, outer: Sink<Res>) {
    super(outer);
    this.leave = leave;
    this.outerWork = outerWork;
  }

  hold(): void {
    this.holders += 1;
    this.outerWork?.hold();
  }

  release(): void {
    // First here: whoever is let in by a bulkhead outside would else find this place still taken.
    this.letGo();
    this.outerWork?.release();
  }

  protected override ended(): void {
    this.letGo();
  }

  private letGo(): void {
    this.holders -= 1;
    if (this.holders === 0) this.leave();
  }
}
