/** Call: what travels with a request through the layers. */
import { Cancellation, neverCancelled } from './cancellation.ts';
import type { Millis } from './clock.ts';

export interface Call {
  /** HTTP method, upper case: decides with `idempotencyKey` whether a retry is safe (RFC 9110, 9.2.2). */
  readonly method: string;
  /** Sent as `Idempotency-Key` on every attempt. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the body can be sent again. False for a stream. Default true. */
  readonly replayable?: boolean | undefined;
  /** The moment, on the runtime's clock, after which the caller has no use for an answer: no retry waits for it. Default never. */
  readonly deadlineMs?: Millis | undefined;
  readonly cancellation: Cancellation;
  /** Set by a layer that has to know when the work behind the call has really ended. */
  readonly work?: Work | undefined;
}

/**
 * The work behind a call, which may outlast the answer: a timeout answers at its limit, whatever the target is still
 * doing. Whoever answers before the work has ended holds it until then.
 */
export interface Work {
  hold(): void;
  /** Once for each `hold`. */
  release(): void;
}

/** What a caller may say about a call. */
export interface CallOptions {
  /**
   * HTTP method. Default `POST`: a call is not tried again after it may have been carried out, unless it says
   * that this does no harm, by its method (`GET`, `PUT`, ...) or by an idempotency key.
   */
  readonly method?: string | undefined;
  /** By which the target knows a second attempt again. Whoever makes the call has to send it. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the request can be sent again. False for a stream. Default true. */
  readonly replayable?: boolean | undefined;
  /**
   * The moment, on the runtime's clock (`performance.now()`), after which an answer is of no use. A retry that would come
   * later is not made; it ends no attempt, which is what `signal` is for. Default never.
   */
  readonly deadlineMs?: Millis | undefined;
  /** Takes the call back. It may live as long as it likes: a call leaves nothing behind on it. */
  readonly signal?: AbortSignal | null | undefined;
  /** A `Call` is no set of options: `compose` makes a function that takes one. */
  readonly cancellation?: never;
}

/** The call that the options describe. */
export function callFrom({ method, idempotencyKey, replayable, deadlineMs, signal }: CallOptions): Call {
  return {
    method: method?.toUpperCase() ?? 'POST',
    idempotencyKey,
    replayable,
    deadlineMs,
    cancellation: signal == null ? neverCancelled : Cancellation.of(signal),
    work: undefined,
  };
}

/** The call of somebody who says nothing about it. */
export const plainCall: Call = callFrom({});

/**
 * The call with another cancellation or work behind it. Written out because an object spread that adds a field costs
 * 1.7 µs on Node 20, more than all the layers together.
 */
export function callWith(call: Call, cancellation: Cancellation, work: Work | undefined): Call {
  return {
    method: call.method,
    idempotencyKey: call.idempotencyKey,
    replayable: call.replayable,
    deadlineMs: call.deadlineMs,
    cancellation,
    work,
  };
}
