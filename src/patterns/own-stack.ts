/** Own stack: what a module of one's own exports by default, to be measured with `run --pattern ./my-stack.ts`. */
import type { Layer } from './layer.ts';

/** A layer, layers in order (outermost first), or a function around a call. */
export type OwnStack = Layer | readonly Layer[] | CallWrapper;

/**
 * A function around a call, as one writes it with other libraries:
 * `export default ((call, caller) => policy.execute(({ signal }) => call(signal), caller.signal)) satisfies CallWrapper`.
 *
 * It may make the call as often as it likes, and answers with a response of it, or throws. `caller.signal` aborts when
 * whoever waits for the answer has gone; attempts end then by themselves.
 */
export type CallWrapper = (call: OwnCall, caller: { readonly signal: AbortSignal }) => Promise<Response>;

/**
 * Makes one attempt, and ends as `fetch` does: with a `Response`, whatever its status; with a `TypeError` whose cause has
 * the socket's code where there was none; with a `TimeoutError` when the attempt timeout behind it has struck.
 *
 * @param how A signal that ends the attempt (its socket closes), or something that has one, as the context that cockatiel
 *   gives to what it executes.
 */
export type OwnCall = (
  how?: AbortSignal | { readonly signal?: AbortSignal | undefined },
) => Promise<Response>;
