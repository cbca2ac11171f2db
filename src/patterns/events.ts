/** Policy events: what the layers report while they work. */
import type { Millis } from './clock.ts';
import type { FailureKind } from './outcome.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

/** `atMs` is the runtime clock's. */
export type PolicyEvent =
  | { readonly type: 'timeout'; readonly atMs: Millis }
  /** An attempt that goes on although its caller has been answered (`timeout.abort=false`). */
  | { readonly type: 'zombie'; readonly atMs: Millis }
  | {
      readonly type: 'retry';
      readonly atMs: Millis;
      /** 1 for the first retry. */
      readonly retry: number;
      readonly delayMs: Millis;
      readonly after: FailureKind;
    }
  /** A retry that was due but that the budget did not grant. */
  | { readonly type: 'retry-refused'; readonly atMs: Millis }
  /** A call that failed first and was confirmed by a retry. */
  | { readonly type: 'retry-saved'; readonly atMs: Millis; readonly retry: number }
  | {
      readonly type: 'breaker-transition';
      readonly atMs: Millis;
      readonly from: BreakerState;
      readonly to: BreakerState;
    }
  | { readonly type: 'breaker-open'; readonly atMs: Millis }
  /** The result of a call that was admitted in an earlier state, and so ignored. */
  | { readonly type: 'breaker-stale'; readonly atMs: Millis }
  /** A probe that did not settle in its lease. */
  | { readonly type: 'breaker-lease-expired'; readonly atMs: Millis }
  | { readonly type: 'bulkhead-full'; readonly atMs: Millis }
  | { readonly type: 'queue-timeout'; readonly atMs: Millis }
  | { readonly type: 'rate-limited'; readonly atMs: Millis }
  /** A request that was let in because the store of the rate limits did not answer in time. */
  | { readonly type: 'limiter-failed-open'; readonly atMs: Millis }
  /** A request that was turned away for the same reason. */
  | { readonly type: 'limiter-failed-closed'; readonly atMs: Millis };

export type PolicyEventType = PolicyEvent['type'];
