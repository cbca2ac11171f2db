/** Timeout: gives each attempt a limit of its own, and really ends the attempt when it is over. */
import type { Call, Work } from './call.ts';
import { Cancellation } from './cancellation.ts';
import type { Millis } from './clock.ts';
import { DeadlineQueue, type Waiting } from './deadline-queue.ts';
import { type Linked, leaveLine } from './fifo.ts';
import { type Answer, enter, layerOf, type Sink } from './flow.ts';
import type { Layer, Runtime } from './layer.ts';
import { flag, ms } from './option.ts';
import { completeOptions, type OptionsIn } from './option-set.ts';
import { type Failure, failed, type Outcome } from './outcome.ts';
import { realRuntime } from './real-runtime.ts';

/** What can be set on a timeout, with defaults, units and limits. */
export const timeoutOptions = {
  limitMs: ms(3000, 1, 'longest that an attempt may take'),
  abort: flag(true, 'really end the attempt (its socket closes); false leaves a zombie'),
};

export type TimeoutOptions = OptionsIn<typeof timeoutOptions>;

/** What a timed-out attempt gives as the reason of its cancellation. */
export const timedOut: Failure = { kind: 'timeout' };

/**
 * Answers `timeout` when an attempt has taken `limitMs`, at once, whatever the target does.
 *
 * With `abort` the attempt is cancelled as well: its socket closes and the target sees that. Without, it goes on as a
 * zombie, to show what that costs. The caller's own cancellation reaches the attempt in both cases, and is answered with
 * `cancelled` and the caller's very reason. What an attempt returns after its answer was given is ignored.
 *
 * All attempts of one layer wait in one queue with one timer.
 *
 * The pattern: "Timeouts" in Michael Nygard, "Release It!", 2007.
 *
 * @param options `limitMs` 3000, `abort` true.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function timeout(options: Partial<TimeoutOptions> = {}, runtime: Runtime = realRuntime): Layer {
  const { limitMs, abort } = completeOptions('timeout', timeoutOptions, options);
  const { clock, report } = runtime;

  const queue = new DeadlineQueue<Attempt>(clock, limitMs, (attempt) => {
    try {
      report?.({ type: 'timeout', atMs: clock.now() });
      if (!abort) report?.({ type: 'zombie', atMs: clock.now() });
    } finally {
      attempt.expire();
    }
  });

  return layerOf((next) => (request, call, sink) => {
    const { cancellation } = call;
    if (cancellation.cancelled) return sink.settle(failed('cancelled', { reason: cancellation.reason }));
    // Its own promise, because its answer may come before that of what is next.
    return new Promise((resolve) => {
      const attempt = new Attempt(call, sink, resolve as (answer: Answer<unknown>) => void);
      queue.add(attempt);
      cancellation.link(attempt);
      void enter(next, request, abort ? attempt : call, attempt);
    });
  });
}

/** What becomes of an attempt is told to whoever waits for its answer, and not returned. */
const answeredElsewhere: Outcome<never> = { ok: false, failure: timedOut };

/**
 * One attempt from its start until its work has ended. It is answered once: by its result, its limit or its caller.
 *
 * It is its caller's call over again, with itself as the cancellation; only where the work may not be ended, that runs
 * under the caller's own. One object for all of this, because there is one for each pending call.
 */
class Attempt extends Cancellation implements Call, Waiting, Sink<never> {
  dueMs: Millis = 0;
  earlier: Linked | undefined = undefined;
  later: Linked | undefined = undefined;
  readonly method: string;
  readonly idempotencyKey: string | undefined;
  readonly replayable: boolean | undefined;
  readonly deadlineMs: Millis | undefined;
  readonly cancellation: Cancellation = this;
  readonly work: Work | undefined;
  private readonly caller: Cancellation;
  private readonly outer: Sink<unknown>;
  /** Undefined once it is answered. */
  private resolve: ((answer: Answer<unknown>) => void) | undefined;

  constructor(call: Call, outer: Sink<unknown>, resolve: (answer: Answer<unknown>) => void) {
    super();
    this.method = call.method;
    this.idempotencyKey = call.idempotencyKey;
    this.replayable = call.replayable;
    this.deadlineMs = call.deadlineMs;
    this.work = call.work;
    this.caller = call.cancellation;
    this.outer = outer;
    this.resolve = resolve;
  }

  settle(outcome: Outcome<never>): Answer<never> {
    const resolve = this.ended();
    resolve?.(this.outer.settle(outcome));
    return answeredElsewhere;
  }

  crash(error: unknown): Answer<never> {
    const resolve = this.ended();
    resolve?.(this.outer.crash(error));
    return answeredElsewhere;
  }

  /** The attempt itself has settled. Returns who waits for the answer, unless it was given before. */
  private ended(): typeof this.resolve {
    const { resolve } = this;
    if (resolve === undefined) {
      this.work?.release();
    } else {
      this.resolve = undefined;
      leaveLine(this);
      this.caller.unlink(this);
    }
    return resolve;
  }

  /** The limit has passed. */
  expire(): void {
    this.answer({ ok: false, failure: timedOut });
    super.cancel(timedOut);
  }

  /** The caller has cancelled, or whoever makes the attempt has given it up. */
  override cancel(reason?: unknown): void {
    this.answer(failed('cancelled', { reason }));
    super.cancel(reason);
  }

  /** The answer comes before the attempt has settled. */
  private answer(outcome: Outcome<never>): void {
    const { resolve } = this;
    if (resolve === undefined) return;
    this.resolve = undefined;
    leaveLine(this);
    this.caller.unlink(this);
    this.work?.hold();
    resolve(this.outer.settle(outcome));
  }
}
