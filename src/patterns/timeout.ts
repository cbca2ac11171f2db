/** Timeout: gives each attempt a limit of its own, and really ends the attempt when it is over. */
import { type Call, callWith } from './call.ts';
import { Cancellation } from './cancellation.ts';
import type { Millis } from './clock.ts';
import { DeadlineQueue, type Waiting } from './deadline-queue.ts';
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
    report?.({ type: 'timeout', atMs: clock.now() });
    if (!abort) report?.({ type: 'zombie', atMs: clock.now() });
    attempt.expire();
  });

  return layerOf((next) => (request, call, sink) => {
    const { cancellation } = call;
    if (cancellation.cancelled) return sink.settle(failed('cancelled', { reason: cancellation.reason }));
    // Its own promise, because its answer may come before that of what is next.
    return new Promise((resolve) => {
      const attempt = new Attempt(queue, call, sink, resolve as (answer: Answer<unknown>) => void);
      queue.add(attempt);
      cancellation.link(attempt);
      void enter(next, request, abort ? callWith(call, attempt, call.work) : call, attempt);
    });
  });
}

/** What becomes of an attempt is told to whoever waits for its answer, and not returned. */
const answeredElsewhere: Outcome<never> = { ok: false, failure: timedOut };

/**
 * One attempt from its start until its work has ended. It is answered once: by its result, its limit or its caller.
 * It is the cancellation under which its work runs, unless the work may not be ended and runs under its caller's.
 */
class Attempt extends Cancellation implements Waiting<Attempt>, Sink<never> {
  dueMs: Millis = 0;
  earlier: Attempt | undefined = undefined;
  later: Attempt | undefined = undefined;
  private answered = false;
  private readonly queue: DeadlineQueue<Attempt>;
  private readonly call: Call;
  private readonly outer: Sink<unknown>;
  private readonly resolve: (answer: Answer<unknown>) => void;

  constructor(
    queue: DeadlineQueue<Attempt>,
    call: Call,
    outer: Sink<unknown>,
    resolve: (answer: Answer<unknown>) => void,
  ) {
    super();
    this.queue = queue;
    this.call = call;
    this.outer = outer;
    this.resolve = resolve;
  }

  settle(outcome: Outcome<never>): Answer<never> {
    if (this.end()) this.resolve(this.outer.settle(outcome));
    return answeredElsewhere;
  }

  crash(error: unknown): Answer<never> {
    if (this.end()) this.resolve(this.outer.crash(error));
    return answeredElsewhere;
  }

  /** The attempt itself has settled. True if that is the answer, false if the answer was given before. */
  private end(): boolean {
    if (this.answered) {
      this.call.work?.release();
      return false;
    }
    this.answered = true;
    this.queue.remove(this);
    this.call.cancellation.unlink(this);
    return true;
  }

  /** The limit has passed; the queue has let it go. */
  expire(): void {
    this.call.cancellation.unlink(this);
    this.answer({ ok: false, failure: timedOut });
    super.cancel(timedOut);
  }

  /** The caller has cancelled; its cancellation has let it go. */
  override cancel(reason: unknown): void {
    this.queue.remove(this);
    this.answer(failed('cancelled', { reason }));
    super.cancel(reason);
  }

  private answer(outcome: Outcome<never>): void {
    this.answered = true;
    this.call.work?.hold();
    this.resolve(this.outer.settle(outcome));
  }
}
