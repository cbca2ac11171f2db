/** HTTP send: makes an innermost send of a function that calls `fetch`. */
import type { Call } from './call.ts';
import type { Send } from './layer.ts';
import { confirmed, failed, type Outcome } from './outcome.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What Node's sockets and undici say when there was no connection, so that nothing was sent. */
export const refusalCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A send that says how an HTTP call ended:
 *
 * - `confirmed` with the response: a status below 400
 * - `http-4xx`, `http-5xx`: another one, with `status` and, from a Retry-After, `retryAfterMs`; its body is let go
 * - `cancelled`: whatever was thrown after the call was cancelled, with the reason of the cancellation
 * - `refused`: thrown, and it provably was not sent
 * - `reset`: anything else that was thrown; what was sent may have been carried out
 *
 * @param attempt Calls `fetch`, or something like it, with `call.cancellation.signal` as its signal, and sends
 *   `call.idempotencyKey` if there is one.
 * @param wallClock Milliseconds since 1970, for a Retry-After that is a date.
 */
export function httpSend<Req>(
  attempt: (request: Req, call: Call) => Promise<Response>,
  wallClock: () => number = Date.now,
): Send<Req, Response> {
  return async (request, call) => {
    try {
      return outcomeOf(await attempt(request, call), wallClock);
    } catch (error) {
      const { cancelled, reason } = call.cancellation;
      if (cancelled) return failed('cancelled', { reason });
      return failed(refusalCodes.has(codeOf(error)) ? 'refused' : 'reset', { reason: error });
    }
  };
}

function outcomeOf(response: Response, wallClock: () => number): Outcome<Response> {
  const { status } = response;
  if (status < 400) return confirmed(response);
  // A body that nobody reads would keep its socket.
  response.body?.cancel().catch(() => undefined);
  const retryAfter = response.headers.get('retry-after');
  return failed(status >= 500 ? 'http-5xx' : 'http-4xx', {
    status,
    retryAfterMs: retryAfter === null ? undefined : parseRetryAfter(retryAfter, wallClock()),
  });
}

/** `fetch` wraps what the socket said. */
function codeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } | null };
  return cause?.code ?? code;
}
