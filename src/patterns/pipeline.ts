/** Pipeline: the way into a stack of layers from outside. */
import { callFrom, type CallOptions, plainCall } from './call.ts';
import type { Layer, Send } from './layer.ts';
import type { Outcome } from './outcome.ts';
import { UsageError } from './usage-error.ts';

/** Makes a call through layers. Rejects only when the innermost send, a layer of one's own or a listener throws: a bug there. */
export type Client<Req, Res> = (request: Req, options?: CallOptions) => Promise<Outcome<Res>>;

/**
 * Puts layers around what makes the call: `pipeline([retry(), breaker(), timeout()], send)` retries around a breaker
 * around a timeout around `send`.
 *
 * @param layers Outermost first. None: `send` itself, with an easier way to call it.
 * @param send Makes one attempt and says as a value how it ended: see `confirmed`, `failed`, and `httpSend` for a function
 *   that calls `fetch`. It ends the attempt when `call.cancellation` says so.
 * @returns A function that takes the request and, optionally, what is to be known about the call: its method, its
 *   idempotency key, an AbortSignal.
 * @throws {UsageError} If the layers are no array or the send no function.
 */
export function pipeline<Req, Res>(layers: readonly Layer[], send: Send<Req, Res>): Client<Req, Res> {
  if (!Array.isArray(layers)) {
    throw new UsageError(
      `pipeline takes an array of layers, outermost first, and then the send; its first argument is a ${typeof layers}`,
    );
  }
  const other = layers.findIndex((layer: unknown) => typeof layer !== 'function');
  if (other >= 0) {
    throw new UsageError(
      `the layers of a pipeline are functions, as retry() makes them; the one at ${other} is of type ${typeof layers[other]}`,
    );
  }
  if (typeof send !== 'function') {
    throw new UsageError(
      `pipeline takes the send as its second argument, a function (request, call) => outcome; it is of type ${typeof send}`,
    );
  }
  const stack = compose(layers, send);
  return (request, options) => stack(request, options === undefined ? plainCall : callFrom(options));
}

/** The same from inside, for calls that already are a `Call`: `compose([retry, timeout], send)` is `retry(timeout(send))`. */
export function compose<Req, Res>(layers: readonly Layer[], send: Send<Req, Res>): Send<Req, Res> {
  return layers.reduceRight((next, layer) => layer(next), send);
}
