/** Load client: sends the requests of a load worker over HTTP and says how each one ended. */
import { type Dispatcher, Pool } from 'undici';
import { type FailureKind, failureKinds } from '../patterns/outcome.ts';

/** How an exchange can end as long as nobody gives up on it. */
export type AnswerOutcome = 'confirmed' | FailureKind;

/** More of an answer than this is not read; a problem document is far smaller. */
const answerBytesMax = 16_384;

const jsonHeaders = { 'content-type': 'application/json' };

/**
 * One connection per request in flight, kept alive. The client gives up on nothing by itself: its caller has a
 * deadline for all requests together, and calls `destroy`.
 */
export class LoadClient {
  private readonly pool: Pool;

  /** @param port The gateway's, on 127.0.0.1. */
  constructor(port: number) {
    this.pool = new Pool(`http://127.0.0.1:${port}`, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 0 },
    });
  }

  /** Sends an order. `onEnd` is called once, unless the client is destroyed before. */
  sendOrder(id: string, amountCents: number, onEnd: (outcome: AnswerOutcome) => void): void {
    const body = JSON.stringify({ orderId: id, amountCents });
    this.pool.dispatch(
      { method: 'POST', path: '/orders', headers: jsonHeaders, body },
      new Exchange((status) => status === 201, onEnd),
    );
  }

  /** Asks for the catalog. `onEnd` is called once, unless the client is destroyed before. */
  getCatalog(onEnd: (outcome: AnswerOutcome) => void): void {
    this.pool.dispatch({ method: 'GET', path: '/catalog' }, new Exchange((status) => status === 200, onEnd));
  }

  /** Closes all sockets, whatever they carry. What was in flight may end as `reset`. */
  async destroy(): Promise<void> {
    await this.pool.destroy();
  }
}

/** One request and its answer: the handler that the pool calls. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly isConfirmed: (status: number) => boolean;
  private readonly onEnd: (outcome: AnswerOutcome) => void;
  private onTheWire = false;
  private status = 0;
  private answer: Buffer[] | undefined;
  private answerBytes = 0;

  constructor(isConfirmed: (status: number) => boolean, onEnd: (outcome: AnswerOutcome) => void) {
    this.isConfirmed = isConfirmed;
    this.onEnd = onEnd;
  }

  onRequestStart(): void {
    this.onTheWire = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isConfirmed(this.status) || this.answerBytes > answerBytesMax) return;
    this.answerBytes += chunk.length;
    (this.answer ??= []).push(chunk);
  }

  onResponseEnd(): void {
    if (this.isConfirmed(this.status)) this.onEnd('confirmed');
    else this.onEnd(failureOf(this.status, this.answer ? Buffer.concat(this.answer).toString() : ''));
  }

  onResponseError(): void {
    // Without a connection the request was never written; with one, it broke somewhere between there and the last byte.
    this.onEnd(this.onTheWire ? 'reset' : 'refused');
  }
}

/**
 * The failure behind an answer that confirms nothing: the member `failure` of its problem document (RFC 9457), else
 * what the status says. A status below 400 is as broken an answer as one of 500 and above.
 */
export function failureOf(status: number, body: string): FailureKind {
  return failureMember(body) ?? (status >= 400 && status < 500 ? 'http-4xx' : 'http-5xx');
}

function failureMember(body: string): FailureKind | undefined {
  let problem: unknown;
  try {
    problem = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof problem !== 'object' || problem === null || !('failure' in problem)) return undefined;
  return failureKinds.find((kind) => kind === problem.failure);
}
