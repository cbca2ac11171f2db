/** HTTP send: makes an innermost send of a function that calls `fetch`. */
import type { Call } from './call.ts';
import type { Send } from './layer.ts';
import { confirmed, failed, type Outcome } from './outcome.ts';
import { realWallClock } from './real-runtime.ts';
import { parseRetryAfter } from './retry-after.ts';
import { UsageError } from './usage-error.ts';

/** What Node's sockets and undici say when there was no connection, so that nothing was sent. */
const refusalCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** These as well, but a connection that stood may end in them, too: what was sent over it may have arrived. */
const unreachableCodes: ReadonlySet<unknown> = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/** Whether an error of a socket or of undici says that there was no connection, so that nothing was sent. */
export function isRefusal({
  code,
  syscall,
}: {
  readonly code?: unknown;
  readonly syscall?: unknown;
}): boolean {
  return refusalCodes.has(code) || (unreachableCodes.has(code) && syscall === 'connect');
}

export interface HttpSendOptions<Res> {
  /**
   * Makes the value of a confirmed call, `(response) => response.json()` for example, as a part of the attempt: what is
   * read later is under no timeout and no cancellation. Default: the response as it is, with its body unread.
   */
  readonly read?: ((response: Response) => Res | Promise<Res>) | undefined;
  /** Milliseconds since 1970, for a Retry-After that is a date. Default the real one. */
  readonly wallClock?: (() => number) | undefined;
}

/**
 * A send that says how an HTTP call ended:
 *
 * - `confirmed` with what `read` makes of the response: a status below 400
 * - `http-4xx`, `http-5xx`: another one, with `status` and, from a Retry-After, `retryAfterMs`; its body is let go
 * - `cancelled`: whatever was thrown after the call was cancelled, with the reason of the cancellation
 * - `refused`: thrown, and it provably was not sent
 * - `reset`: anything else that was thrown, a bug in `attempt` or `read` included; what was sent may have been carried out.
 *   The error is the failure's `reason`.
 *
 * @param attempt Calls `fetch`, or something like it, with `call.cancellation.signal` as its signal, and sends
 *   `call.idempotencyKey` if there is one.
 * @throws {UsageError} If that is `fetch` itself, which knows of neither: a call with a key would be tried again without it.
 */
export function httpSend<Req, Res = Response>(
  attempt: (request: Req, call: Call) => Promise<Response>,
  { read = (response) => response as Res, wallClock = realWallClock }: HttpSendOptions<Res> = {},
): Send<Req, Res> {
  if ((attempt as unknown) === globalThis.fetch) {
    throw new UsageError(
      'httpSend takes a function that calls fetch, with call.cancellation.signal and the idempotency key, not fetch itself',
    );
  }
  return async (request, call) => {
    try {
      const response: unknown = await attempt(request, call);
      if (!isResponse(response))
        throw new TypeError(
          `the attempt has to return a Response; it returned ${Object.prototype.toString.call(response)}`,
        );
      return response.status < 400 ? confirmed(await read(response)) : failureOf(response, wallClock);
    } catch (error) {
      const { cancelled, reason } = call.cancellation;
      if (cancelled) return failed('cancelled', { reason });
      return failed(isRefusal(socketErrorIn(error)) ? 'refused' : 'reset', { reason: error });
    }
  };
}

/** Responses of other implementations than Node's own, too. */
export function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number';
}

function failureOf(response: Response, wallClock: () => number): Outcome<never> {
  const { status } = response;
  // A body that nobody reads would keep its socket.
  letGo(response);
  const retryAfter = response.headers.get('retry-after');
  return failed(status >= 500 ? 'http-5xx' : 'http-4xx', {
    status,
    retryAfterMs: retryAfter === null ? undefined : parseRetryAfter(retryAfter, wallClock()),
  });
}

/** Other implementations of `fetch` have bodies of other kinds. */
function letGo({ body }: { readonly body?: { cancel?(): Promise<void> } | null }): void {
  body?.cancel?.().catch(() => undefined);
}

/** What the socket said, which `fetch` wraps. */
function socketErrorIn(error: unknown): { readonly code?: unknown; readonly syscall?: unknown } {
  const thrown = (error ?? {}) as {
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown } | null;
  };
  return thrown.cause?.code === undefined ? thrown : thrown.cause;
}
