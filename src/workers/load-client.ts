/** Load client: sends the requests of a load worker over HTTP and says how each one ended. */
import { Client, type Dispatcher } from 'undici';
import { type FailureKind, failureKinds } from '../patterns/outcome.ts';

/** How an exchange can end as long as nobody gives up on it. */
export type AnswerOutcome = 'confirmed' | FailureKind;

/** More of an answer than this is not read; a problem document is far smaller. */
const answerBytesMax = 16_384;

/** What to send, and with which status its answer confirms it. */
export interface LoadHttpRequest {
  readonly request: Dispatcher.DispatchOptions;
  readonly confirmedStatus: number;
}

/**
 * One kept-alive connection per request in flight. undici's own pool looks for a free connection one after the other,
 * which with thousands of them costs more than the request; a stack of free ones knows at once, and keeps few of them
 * busy. The client gives up on nothing by itself: its caller has a deadline for all requests, and calls `destroy`.
 */
export class LoadClient {
  private readonly origin: string;
  private readonly connections: Client[] = [];
  private readonly free: Client[] = [];

  /** @param port The gateway's, on 127.0.0.1. */
  constructor(port: number) {
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** `onEnd` is called once. */
  send({ request, confirmedStatus }: LoadHttpRequest, onEnd: (outcome: AnswerOutcome) => void): void {
    const connection = this.free.pop() ?? this.connect();
    connection.dispatch(
      request,
      new Exchange(confirmedStatus, (outcome) => {
        // Its caller may send at once, which a connection cannot take before this answer is done with.
        onEnd(outcome);
        // Also after a failure: the connection is made again for the next request.
        this.free.push(connection);
      }),
    );
  }

  /** Closes all connections, whatever they carry; what was in flight ends as `reset` or `refused`. */
  async destroy(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.destroy()));
  }

  private connect(): Client {
    const connection = new Client(this.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 0 },
    });
    this.connections.push(connection);
    return connection;
  }
}

/** One request and its answer: the handler that the connection calls. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly confirmedStatus: number;
  private readonly onEnd: (outcome: AnswerOutcome) => void;
  private onTheWire = false;
  private status = 0;
  private answer: Buffer[] | undefined;
  private answerBytes = 0;

  constructor(confirmedStatus: number, onEnd: (outcome: AnswerOutcome) => void) {
    this.confirmedStatus = confirmedStatus;
    this.onEnd = onEnd;
  }

  onRequestStart(): void {
    this.onTheWire = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.status === this.confirmedStatus || this.answerBytes > answerBytesMax) return;
    this.answerBytes += chunk.length;
    (this.answer ??= []).push(chunk);
  }

  onResponseEnd(): void {
    if (this.status === this.confirmedStatus) this.onEnd('confirmed');
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
