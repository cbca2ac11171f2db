/** Payment client: the innermost `Send`. It calls the payment service over HTTP and says how that ended, as a value. */
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Call } from '../patterns/call.ts';
import type { Cancellable } from '../patterns/cancellation.ts';
import { Fifo, type Linked } from '../patterns/fifo.ts';
import type { Send } from '../patterns/layer.ts';
import { confirmed, failed, type Outcome } from '../patterns/outcome.ts';
import { parseRetryAfter } from '../patterns/retry-after.ts';
import { formatIdempotencyKey } from './idempotency-key.ts';
import type { PaymentOrder, PaymentReceipt } from './payment.ts';

export interface PaymentClientOptions {
  /** `http://127.0.0.1:20123` */
  readonly origin: string;
  /** Sockets at most; further calls wait for one. Default 100. */
  readonly connections?: number | undefined;
  /** Hears of each order that gets a socket. One that is cancelled while it waits never does. */
  readonly onAttempt?: ((order: PaymentOrder) => void) | undefined;
}

export interface PaymentClient {
  readonly send: Send<PaymentOrder, PaymentReceipt>;
  /** Calls that have not ended, waiting ones included. */
  inFlight(): number;
  /** Ends what is in flight as `cancelled` and closes every socket. */
  close(): Promise<void>;
}

/** Below the service's own, so that an idle connection is closed from this side. */
const keepAliveMs = 30_000;
/** A longer answer is broken off: `reset`. */
const answerMaxBytes = 1024 * 1024;

/** What a cancelled request is ended with. Never seen by callers; made once, because a stack trace costs more than a call. */
const abandoned = new Error('cancelled by its caller');

/**
 * A client with a connection pool of its own. How a call ends:
 *
 * - `confirmed`: a 2xx answer whose body is a receipt
 * - `refused`: no connection, so it provably was not sent
 * - `reset`: the connection broke, or what came was not HTTP, after it may have been sent
 * - `http-5xx`, `http-4xx`: another answer, with `status` and `retryAfterMs`; a 2xx without a receipt counts as `http-5xx`,
 *   a 1xx or 3xx, which the service never sends, as `http-4xx`
 * - `cancelled`: with the caller's very reason. A running call's socket closes; a waiting call is never sent
 *
 * It has no time limit of its own: that is the timeout layer's.
 *
 * The pool is this file's own, over undici's `Client`, which is one connection. undici's `Pool` cannot take a waiting
 * request out of its queue, and opens a new connection for every request that is aborted (nodejs/undici#5845): towards
 * a service that hangs, each timeout would leave one that is never answered, and the first calls after the service's
 * return would hang in those.
 */
export function createPaymentClient({
  origin,
  connections = 100,
  onAttempt,
}: PaymentClientOptions): PaymentClient {
  const options: Client.Options = {
    connect: buildConnector({ timeout: 0 }),
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    maxResponseSize: answerMaxBytes,
  };
  const clients = new Set<Client>();
  /** The last one used is the first to be used again, so that connections that are not needed grow old and close. */
  const idle: Client[] = [];
  const running = new Set<Attempt>();
  const waiting = new Fifo<Attempt>();
  let inFlight = 0;
  let closed = false;

  const open = (): Client => {
    const client = new Client(origin, options);
    clients.add(client);
    return client;
  };

  const startNext = (): void => {
    const next = waiting.first;
    if (next === undefined || closed) return;
    const client = idle.pop() ?? (clients.size < connections ? open() : undefined);
    if (client === undefined) return;
    waiting.remove(next);
    running.add(next);
    onAttempt?.(next.order);
    next.start(client);
  };

  const desk: Desk = {
    withdraw(attempt) {
      waiting.remove(attempt);
      inFlight--;
    },
    ended(attempt, client) {
      running.delete(attempt);
      inFlight--;
      if (client.destroyed) clients.delete(client);
      else idle.push(client);
      startNext();
    },
  };

  return {
    send(order, call) {
      const { cancellation } = call;
      if (cancellation.cancelled)
        return Promise.resolve(failed('cancelled', { reason: cancellation.reason }));
      if (closed) return Promise.resolve(failed('cancelled', { reason: clientClosed }));
      return new Promise((resolve) => {
        const attempt = new Attempt(desk, order, call, resolve);
        inFlight++;
        cancellation.link(attempt);
        waiting.push(attempt);
        startNext();
      });
    },
    inFlight: () => inFlight,
    async close() {
      closed = true;
      for (let attempt = waiting.first; attempt !== undefined; attempt = waiting.first)
        attempt.cancel(clientClosed);
      for (const attempt of running) attempt.cancel(clientClosed);
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

/** The reason of those whom `close` cancels. */
const clientClosed = 'client closed';

/** What an attempt asks of its client. */
interface Desk {
  /** It waited and no longer wants to. */
  withdraw(attempt: Attempt): void;
  /** Nothing happens any more on its behalf. */
  ended(attempt: Attempt, client: Client): void;
}

type Resolve = (outcome: Outcome<PaymentReceipt> | PromiseLike<Outcome<PaymentReceipt>>) => void;

/** One call, from `send` until undici has let go of it. Its outcome is given once, and earlier than that if it is cancelled. */
class Attempt implements Dispatcher.DispatchHandler, Cancellable, Linked<Attempt> {
  earlier: Attempt | undefined = undefined;
  later: Attempt | undefined = undefined;
  /** Undefined while it waits. */
  private client: Client | undefined = undefined;
  private sent = false;
  private answered = false;
  private status = 0;
  private retryAfter: string | undefined = undefined;
  private body: Buffer | undefined = undefined;
  private readonly desk: Desk;
  readonly order: PaymentOrder;
  private readonly call: Call;
  private readonly resolve: Resolve;

  constructor(desk: Desk, order: PaymentOrder, call: Call, resolve: Resolve) {
    this.desk = desk;
    this.order = order;
    this.call = call;
    this.resolve = resolve;
  }

  start(client: Client): void {
    this.client = client;
    const { method, idempotencyKey } = this.call;
    const headers = ['content-type', 'application/json'];
    if (idempotencyKey !== undefined) headers.push('idempotency-key', formatIdempotencyKey(idempotencyKey));
    client.dispatch({ path: '/payments', method, headers, body: JSON.stringify(this.order) }, this);
  }

  /** The caller has cancelled, and its cancellation has let go of this. */
  cancel(reason: unknown): void {
    if (this.answered) return;
    this.answer(failed('cancelled', { reason }));
    if (this.client === undefined) this.desk.withdraw(this);
    else void this.client.destroy(abandoned);
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
    this.end(failed(this.sent ? 'reset' : 'refused'));
  }

  private outcome(): Outcome<PaymentReceipt> {
    const { status, retryAfter } = this;
    if (status >= 200 && status < 300) {
      const receipt = parseReceipt(this.body);
      return receipt === undefined ? failed('http-5xx', { status }) : confirmed(receipt);
    }
    const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, Date.now());
    return failed(status >= 500 ? 'http-5xx' : 'http-4xx', { status, retryAfterMs });
  }

  private end(outcome: Outcome<PaymentReceipt>): void {
    this.call.cancellation.unlink(this);
    this.answer(outcome);
    if (this.client !== undefined) this.desk.ended(this, this.client);
  }

  private answer(outcome: Outcome<PaymentReceipt>): void {
    if (this.answered) return;
    this.answered = true;
    this.resolve(outcome);
  }
}

function parseReceipt(body: Buffer | undefined): PaymentReceipt | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body?.toString() ?? '');
  } catch {
    return undefined;
  }
  const isReceipt =
    typeof value === 'object' &&
    value !== null &&
    'paymentId' in value &&
    typeof value.paymentId === 'string';
  return isReceipt ? (value as PaymentReceipt) : undefined;
}
