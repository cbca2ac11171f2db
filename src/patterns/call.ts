/** Call: what travels with a request through the layers. */
import type { Cancellation } from './cancellation.ts';
import type { Millis } from './clock.ts';

export interface Call {
  /** HTTP method, upper case: decides with `idempotencyKey` whether a retry is safe (RFC 9110, 9.2.2). */
  readonly method: string;
  /** Sent as `Idempotency-Key` on every attempt. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the body can be sent again. False for a stream. Default true. */
  readonly replayable?: boolean | undefined;
  /** The moment, on the runtime's clock, after which the caller has no use for an answer. Default never. */
  readonly deadlineMs?: Millis | undefined;
  readonly cancellation: Cancellation;
}
