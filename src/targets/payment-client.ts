/** Payment client: the innermost `Send`. It calls the payment service over HTTP and says how that ended, as a value. */
import { type Dispatcher, Pool } from 'undici';
import type { Call } from '../patterns/call.ts';
import type { Cancellable } from '../patterns/cancellation.ts';
import { Fifo, type Linked } from '../patterns/fifo.ts';
import type { Send } from '../patterns/layer.ts';
import { confirmed, failed, type Outcome } from '../patterns/outcome.ts';
import { parseRetryAfter } from '../patterns/retry-after.ts';
import type { PaymentOrder, PaymentReceipt } from './payment.ts';

export interface PaymentClientOptions {
  /** `http://127.0.0.1:20123` */
  readonly origin: string;
  /** Sockets at most; further calls wait for one. Default 100. */
  readonly connections?: number | undefined;
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
const answerMaxBytes = 64 * 1024;

/** What undici ends a cancelled request with. Never seen by callers; made once, because a stack trace costs more than a call. */
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
 */
export function createPaymentClient({ origin, connections = 100 }: PaymentClientOptions): PaymentClient {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    maxResponseSize: answerMaxBytes,
  });
  const running = new Set<Attempt>();
  // Here and not in undici's own queue, from which nothing can be taken out again.
  const waiting = new Fifo<Attempt>();
  let inFlight = 0;
  let closed = false;

  const desk: Desk = {
    start(attempt) {
      running.add(attempt);
      pool.dispatch(attempt.request(), attempt);
    },
    withdraw(attempt) {
      waiting.remove(attempt);
      inFlight--;
    },
    ended(attempt) {
      running.delete(attempt);
      inFlight--;
      const next = waiting.first;
      if (next === undefined || closed) return;
      waiting.remove(next);
      desk.start(next);
    },
  };

  return {
    send(order, call) {
      const { cancellation } = call;
      if (cancellation.cancelled)
        return Promise.resolve(failed('cancelled', { reason: cancellation.reason }));
      if (closed) return Promise.resolve(failed('cancelled', { reason: 'client closed' }));
      return new Promise((resolve) => {
        inFlight++;
        const attempt = new Attempt(desk, order, call, resolve);
        cancellation.link(attempt);
        if (running.size < connections) desk.start(attempt);
        else attempt.wait(waiting);
      });
    },
    inFlight: () => inFlight,
    async close() {
      closed = true;
      for (let attempt = waiting.first; attempt !== undefined; attempt = waiting.first) {
        attempt.cancel('client closed');
      }
      for (const attempt of running) attempt.cancel('client closed');
      await pool.destroy();
    },
  };
}

/** What an attempt asks of its client. */
interface Desk {
  start(attempt: Attempt): void;
  /** It waited and no longer wants to. */
  withdraw(attempt: Attempt): void;
  /** undici is done with it. */
  ended(attempt: Attempt): void;
}

type Resolve = (outcome: Outcome<PaymentReceipt> | Promise<never>) => void;

type State = 'waiting' | 'connecting' | 'sent' | 'over';

/** One call, from `send` until undici has let go of it. Its outcome is given once, and earlier than that if it is cancelled. */
class Attempt implements Dispatcher.DispatchHandler, Cancellable, Linked<Attempt> {
  earlier: Attempt | undefined = undefined;
  later: Attempt | undefined = undefined;
  private state: State = 'connecting';
  private answered = false;
  private controller: Dispatcher.DispatchController | undefined = undefined;
  private status = 0;
  private retryAfter: string | undefined = undefined;
  private body: Buffer | undefined = undefined;
  private readonly desk: Desk;
  private readonly order: PaymentOrder;
  private readonly call: Call;
  private readonly resolve: Resolve;

  constructor(
    desk: Desk,
    order: PaymentOrder,
    call: Call,
    resolve: (outcome: Outcome<PaymentReceipt>) => void,
  ) {
    this.desk = desk;
    this.order = order;
    this.call = call;
    this.resolve = resolve;
  }

  wait(queue: Fifo<Attempt>): void {
    this.state = 'waiting';
    queue.push(this);
  }

  request(): Dispatcher.DispatchOptions {
    this.state = 'connecting';
    const { method, idempotencyKey } = this.call;
    const headers = ['content-type', 'application/json'];
    if (idempotencyKey !== undefined) headers.push('idempotency-key', idempotencyKey);
    const body = JSON.stringify(this.order);
    return { path: '/payments', method, headers, body };
  }

  /** The caller has cancelled, and its cancellation has let go of this. */
  cancel(reason: unknown): void {
    this.answer(failed('cancelled', { reason }));
    if (this.state === 'waiting') {
      this.state = 'over';
      this.desk.withdraw(this);
    } else this.controller?.abort(abandoned);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // Cancelled while it was connecting, when undici has no means to end it.
    if (this.answered) controller.abort(abandoned);
    else this.state = 'sent';
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
    this.end(failed(this.state === 'sent' ? 'reset' : 'refused'));
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
    if (this.state === 'over') return;
    this.state = 'over';
    this.call.cancellation.unlink(this);
    this.answer(outcome);
    this.desk.ended(this);
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
