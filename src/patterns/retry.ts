/** Retry: tries again what failed, where that is safe and has a chance. */
import { backoffMs, jitters } from './backoff.ts';
import type { Call } from './call.ts';
import type { Cancellation } from './cancellation.ts';
import type { Clock, Millis } from './clock.ts';
import { type Answer, enter, layerOf, type Sink, sendOf } from './flow.ts';
import type { Layer, Runtime, Send } from './layer.ts';
import { choice, count, ms, share } from './option.ts';
import { completeOptions, type OptionsIn } from './option-set.ts';
import { type Failure, failed, type Outcome } from './outcome.ts';
import { realRuntime } from './real-runtime.ts';
import { TokenBucket } from './token-bucket.ts';

/** What can be set on a retry, with defaults, units and limits. */
export const retryOptions = {
  retriesMax: count(3, 0, 'retries after the first attempt'),
  baseMs: ms(100, 0, 'backoff before the first retry, doubled for each further one'),
  capMs: ms(2000, 0, 'longest backoff, before jitter'),
  jitter: choice('full', jitters, 'how the backoff is spread, so that callers do not retry in step'),
};

/** The same with a budget. */
export const retryBudgetOptions = {
  ...retryOptions,
  share: share(0.2, 0, 'retries granted per call'),
  floorPerS: count(10, 0, 'retries granted per second, however few calls there are'),
  savedMax: count(100, 1, 'most unused retries that can be saved up'),
};

export type RetryOptions = OptionsIn<typeof retryOptions>;
export type RetryBudgetOptions = OptionsIn<typeof retryBudgetOptions>;

/**
 * Tries again, up to `retriesMax` times, after a backoff (see `backoffMs`), when an attempt ended in `timeout`,
 * `refused`, `reset`, `http-5xx` or in a 409 with a Retry-After, and it is safe (see `isSafeToRetry`).
 *
 * A failure's `retryAfterMs` is the least that it waits. When the wait would reach the call's deadline, the failure is
 * returned at once. A wait ends when the caller cancels. What a layer rejected on this side, `breaker-open` included,
 * is not tried again.
 *
 * Backoff and jitter: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. What is safe: RFC 9110,
 * 9.2.2.
 *
 * @param options `retriesMax` 3, `baseMs` 100, `capMs` 2000, `jitter` `full`.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function retry(options: Partial<RetryOptions> = {}, runtime: Runtime = realRuntime): Layer {
  return retryLayer(runtime, completeOptions('retry', retryOptions, options), isSafeToRetry);
}

/**
 * `retry` for those who have not heard of idempotency: it tries a POST without a key again although the first one may
 * have been carried out. Kept as a control, so that the duplicates it makes can be counted.
 *
 * @param options Those of `retry`.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function retryBlind(options: Partial<RetryOptions> = {}, runtime: Runtime = realRuntime): Layer {
  const complete = completeOptions('retry-blind', retryOptions, options);
  return retryLayer(runtime, complete, (call) => call.replayable !== false);
}

/**
 * `retry` with a budget over all calls of the layer: retries may be no more than a `share` of the calls, but
 * `floorPerS` in any case. A retry that the budget does not grant is reported as `retry-refused`, and the failure is
 * returned. The idea is Finagle's RetryBudget.
 *
 * @param options Those of `retry`, and `share` 0.2, `floorPerS` 10, `savedMax` 100.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function retryBudget(
  options: Partial<RetryBudgetOptions> = {},
  runtime: Runtime = realRuntime,
): Layer {
  const complete = completeOptions('retry-budget', retryBudgetOptions, options);
  const bucket = new TokenBucket(complete.floorPerS, complete.savedMax);
  return retryLayer(runtime, complete, isSafeToRetry, { bucket, share: complete.share });
}

/**
 * Whether another attempt can do no harm: the method is idempotent (RFC 9110, 9.2.2), or the call carries a key by which
 * the target knows it again, or the failure is `refused`, which provably never reached the target. Never if the body
 * cannot be sent again.
 */
export function isSafeToRetry(call: Call, failure: Failure): boolean {
  if (call.replayable === false) return false;
  return idempotentMethods.has(call.method) || Boolean(call.idempotencyKey) || failure.kind === 'refused';
}

const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether another attempt may end better. A 409 with a Retry-After is how a target says that an earlier attempt with the
 * same Idempotency-Key is still under way (draft-ietf-httpapi-idempotency-key-header, 2.7).
 */
export function isTransient({ kind, status, retryAfterMs }: Failure): boolean {
  if (kind === 'http-4xx') return status === 409 && retryAfterMs !== undefined;
  return kind === 'timeout' || kind === 'refused' || kind === 'reset' || kind === 'http-5xx';
}

interface Budget {
  readonly bucket: TokenBucket;
  /** Tokens that each call brings. */
  readonly share: number;
}

function retryLayer(
  { clock, random, report }: Runtime,
  options: RetryOptions,
  isSafe: (call: Call, failure: Failure) => boolean,
  budget?: Budget,
): Layer {
  const mayRetry = (call: Call, failure: Failure): boolean => isTransient(failure) && isSafe(call, failure);

  /** Everything after a first failure that may be retried; the usual call, which succeeds, pays for none of this. */
  async function tryAgain<Req, Res>(
    next: Send<Req, Res>,
    request: Req,
    call: Call,
    firstFailure: Failure,
  ): Promise<Outcome<Res>> {
    const { cancellation, deadlineMs = Infinity } = call;
    let failure = firstFailure;
    let backoff = 0;
    for (let count = 1; count <= options.retriesMax; count += 1) {
      if (!mayRetry(call, failure)) break;
      if (cancellation.cancelled) return failed('cancelled', { reason: cancellation.reason });
      backoff = backoffMs(options, count, backoff, random);
      const delayMs = Math.max(backoff, failure.retryAfterMs ?? 0);
      const now = clock.now();
      if (now + delayMs >= deadlineMs) break;
      if (budget !== undefined && !budget.bucket.take(now)) {
        report?.({ type: 'retry-refused', atMs: now });
        break;
      }
      report?.({ type: 'retry', atMs: now, retry: count, delayMs, after: failure.kind });
      const elapsed = await wait(clock, delayMs, cancellation);
      if (!elapsed) return failed('cancelled', { reason: cancellation.reason });
      const outcome = await next(request, call);
      if (outcome.ok) {
        report?.({ type: 'retry-saved', atMs: clock.now(), retry: count });
        return outcome;
      }
      failure = outcome.failure;
    }
    return { ok: false, failure };
  }

  const retries: Retries = { mayRetry, tryAgain };
  return layerOf((next) => {
    const send = sendOf(next);
    return (request, call, sink) => {
      budget?.bucket.deposit(budget.share);
      return enter(next, request, call, new FirstAttempt(retries, send, request, call, sink));
    };
  });
}

interface Retries {
  mayRetry(call: Call, failure: Failure): boolean;
  tryAgain<Req, Res>(
    send: Send<Req, Res>,
    request: Req,
    call: Call,
    firstFailure: Failure,
  ): Promise<Outcome<Res>>;
}

/** Ends the call, unless it failed and is worth another attempt. */
class FirstAttempt<Req, Res> implements Sink<Res> {
  private readonly retries: Retries;
  private readonly send: Send<Req, Res>;
  private readonly request: Req;
  private readonly call: Call;
  private readonly outer: Sink<Res>;

  constructor(retries: Retries, send: Send<Req, Res>, request: Req, call: Call, outer: Sink<Res>) {
    this.retries = retries;
    this.send = send;
    this.request = request;
    this.call = call;
    this.outer = outer;
  }

  settle(outcome: Outcome<Res>): Answer<Res> {
    const { retries, send, request, call, outer } = this;
    if (outcome.ok || !retries.mayRetry(call, outcome.failure)) return outer.settle(outcome);
    return retries.tryAgain(send, request, call, outcome.failure).then(
      (last) => outer.settle(last),
      (error: unknown) => outer.crash(error),
    );
  }

  crash(error: unknown): Answer<Res> {
    return this.outer.crash(error);
  }
}

/** True after `delayMs`, false at once when the caller cancels. Leaves no timer and no listener. */
function wait(clock: Clock, delayMs: Millis, cancellation: Cancellation): Promise<boolean> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(delayMs, () => {
      unlink();
      resolve(true);
    });
    const unlink = cancellation.onCancel(() => {
      cancelTimer();
      resolve(false);
    });
  });
}
