/** Layer: one resilience mechanism. It takes a `Send` and returns a `Send`. */
import type { Call } from './call.ts';
import type { Clock } from './clock.ts';
import type { PolicyEvent } from './events.ts';
import type { Outcome } from './outcome.ts';

/** Sends a request and says how it ended. Never rejects. */
export type Send<Req, Res> = (request: Req, call: Call) => Promise<Outcome<Res>>;

export type Layer = <Req, Res>(next: Send<Req, Res>) => Send<Req, Res>;

/** What a layer gets from outside. */
export interface Runtime {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Hears what the layers do. Absent: nobody listens and no event is built. It must not throw: that rejects the call, or,
   * out of a timer, is an uncaught exception.
   */
  readonly report?: ((event: PolicyEvent) => void) | undefined;
}
