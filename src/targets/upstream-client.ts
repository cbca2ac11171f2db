/** Upstream client: the innermost `Send`. It calls a service over HTTP and says how that ended, as a value. */
import type { Client, Dispatcher } from 'undici';
import type { Call } from '../patterns/call.ts';
import type { Cancellable } from '../patterns/cancellation.ts';
import type { Send } from '../patterns/layer.ts';
import { confirmed, failed, type Outcome } from '../patterns/outcome.ts';
import { parseRetryAfter } from '../patterns/retry-after.ts';
import { formatIdempotencyKey } from './idempotency-key.ts';
import type { SocketPool, Waiter } from './socket-pool.ts';

/** What is said to a service, and how its answers are understood. */
export interface UpstreamProtocol<Req, Res> {
  readonly request: (request: Req) => {
    readonly path: string;
    /** JSON. Absent: there is none. */
    readonly body?: string;
  };
  /** What stands in a 2xx answer; undefined: not what was asked for. */
  readonly read: (answer: unknown) => Res | undefined;
}

export interface UpstreamClientOptions<Req, Res> {
  /** `http://127.0.0.1:20123` */
  readonly origin: string;
  /** May be shared with clients of other services. Its owner closes it. */
  readonly pool: SocketPool;
  readonly protocol: UpstreamProtocol<Req, Res>;
  /** Hears of each request that gets a connection. One that is cancelled while it waits never does. */
  readonly onAttempt?: ((request: Req) => void) | undefined;
}

export interface UpstreamClient<Req, Res> {
  readonly send: Send<Req, Res>;
  /** Calls that have not ended, waiting ones included. */
  inFlight(): number;
}

/**
 * A client of one service. How a call ends:
 *
 * - `confirmed`: a 2xx answer whose body is what was asked for
 * - `refused`: no connection, so it provably was not sent
 * - `reset`: the connection broke, or what came was not HTTP, after it may have been sent
 * - `http-5xx`, `http-4xx`: another answer, with `status` and `retryAfterMs`; a 2xx with another body counts as
 *   `http-5xx`, a 1xx or 3xx, which a service never sends, as `http-4xx`
 * - `cancelled`: with the caller's very reason. A running call's socket closes; a waiting call is never sent. Closing the
 *   pool cancels all calls, later ones too
 *
 * It has no time limit of its own: that is the timeout layer's.
 */
export function createUpstreamClient<Req, Res>(
  options: UpstreamClientOptions<Req, Res>,
): UpstreamClient<Req, Res> {
  const { pool } = options;
  let inFlight = 0;
  const onEnd = () => {
    inFlight--;
  };
  return {
    send(request, call) {
      const { cancellation } = call;
      if (cancellation.cancelled)
        return Promise.resolve(failed('cancelled', { reason: cancellation.reason }));
      if (pool.closed) return Promise.resolve(failed('cancelled', { reason: poolClosed }));
      return new Promise((resolve) => {
        const attempt = new Attempt(options, request, call, resolve, onEnd);
        inFlight++;
        cancellation.link(attempt);
        pool.acquire(attempt);
      });
    },
    inFlight: () => inFlight,
  };
}

/** The reason of those whom the end of their pool cancels. */
const poolClosed = 'client closed';

type Resolve<Res> = (outcome: Outcome<Res> | PromiseLike<Outcome<Res>>) => void;

/** One call, from `send` until undici has let go of it. Its outcome is given once, and earlier than that if it is cancelled. */
class Attempt<Req, Res> implements Dispatcher.DispatchHandler, Cancellable, Waiter {
  earlier: Waiter | undefined = undefined;
  later: Waiter | undefined = undefined;
  /** Undefined while it waits. */
  private connection: Client | undefined = undefined;
  private sent = false;
  private answered = false;
  private status = 0;
  private retryAfter: string | undefined = undefined;
  private body: Buffer | undefined = undefined;
  private readonly client: UpstreamClientOptions<Req, Res>;
  private readonly request: Req;
  private readonly call: Call;
  private readonly resolve: Resolve<Res>;
  private readonly onEnd: () => void;

  /** @param onEnd Called once, when nothing happens any more on its behalf. */
  constructor(
    client: UpstreamClientOptions<Req, Res>,
    request: Req,
    call: Call,
    resolve: Resolve<Res>,
    onEnd: () => void,
  ) {
    this.client = client;
    this.request = request;
    this.call = call;
    this.resolve = resolve;
    this.onEnd = onEnd;
  }

  get origin(): string {
    return this.client.origin;
  }

  start(connection: Client): void {
    this.connection = connection;
    this.client.onAttempt?.(this.request);
    const { method, idempotencyKey } = this.call;
    const { path, body } = this.client.protocol.request(this.request);
    const headers = body === undefined ? [] : ['content-type', 'application/json'];
    if (idempotencyKey !== undefined) headers.push('idempotency-key', formatIdempotencyKey(idempotencyKey));
    connection.dispatch({ path, method, headers, body: body ?? null }, this);
  }

  /** The caller has cancelled, and its cancellation has let go of this. */
  cancel(reason: unknown): void {
    if (this.answered) return;
    this.answer(failed('cancelled', { reason }));
    if (this.connection !== undefined) this.client.pool.abort(this.connection);
    else {
      this.client.pool.withdraw(this);
      this.onEnd();
    }
  }

  poolClosed(): void {
    if (this.answered) return;
    this.call.cancellation.unlink(this);
    this.answer(failed('cancelled', { reason: poolClosed }));
    if (this.connection === undefined) this.onEnd();
  }

  /** There is a connection, and the request is about to be written to it. */
  onRequestStart(): void {
    this.sent = true;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.status = status;
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.retryAfter = retryAfter;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.body = this.body === undefined ? chunk : Buffer.concat([this.body, chunk]);
  }

  onResponseEnd(): void {
    this.end(this.outcome());
  }

  onResponseError(_: unknown, error: Error & { code?: string }): void {
    // undici would not even try: a header that cannot be one. That is a bug of the caller's, and no outcome.
    if (error.code === 'UND_ERR_INVALID_ARG') this.resolve(Promise.reject(error));
    // Not at once: whoever waits for the connection would be sent over it while undici still clears up after the error,
    // and asserts that nobody is.
    queueMicrotask(() => {
      this.end(failed(this.sent ? 'reset' : 'refused'));
    });
  }

  private outcome(): Outcome<Res> {
    const { status, retryAfter } = this;
    if (status >= 200 && status < 300) {
      const value = this.client.protocol.read(parseJson(this.body));
      return value === undefined ? failed('http-5xx', { status }) : confirmed(value);
    }
    const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, Date.now());
    return failed(status >= 500 ? 'http-5xx' : 'http-4xx', { status, retryAfterMs });
  }

  private end(outcome: Outcome<Res>): void {
    this.call.cancellation.unlink(this);
    this.answer(outcome);
    this.onEnd();
    if (this.connection !== undefined) this.client.pool.release(this, this.connection);
  }

  private answer(outcome: Outcome<Res>): void {
    if (this.answered) return;
    this.answered = true;
    this.resolve(outcome);
  }
}

/** Undefined where it is no JSON. */
function parseJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString() ?? '');
  } catch {
    return undefined;
  }
}
