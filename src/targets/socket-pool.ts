/** Socket pool: a budget of connections, for one upstream or for several, and the queue of those who wait for one. */
import { buildConnector, Client } from 'undici';
import { Fifo, type Linked, leaveLine } from '../patterns/fifo.ts';
import type { PoolOptions } from '../patterns/options.ts';

/** Who wants a connection. The pool calls `start` once, or never where it was withdrawn or the pool was closed before. */
export interface Waiter extends Linked {
  /** Where to. */
  readonly origin: string;
  /** It has the connection until it calls `release`. */
  start(connection: Client): void;
  /** The pool closes. One that has started ends its connection's request; its `release` is still due. */
  poolClosed(): void;
}

/** Below the services' own, so that an idle connection is closed from this side. */
const keepAliveMs = 30_000;
/** A longer answer is broken off: `reset`. */
const answerMaxBytes = 1024 * 1024;

const connectionOptions: Client.Options = {
  connect: buildConnector({ timeout: 0 }),
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: keepAliveMs,
  maxResponseSize: answerMaxBytes,
};

/** What a cancelled request is ended with. Never seen by callers; made once, because a stack trace costs more than a call. */
const abandoned = new Error('cancelled by its caller');

/**
 * At most `connectionsMax` connections, whatever their origins; whoever wants one more waits, first come, first served.
 * At most `idleMax` are kept when nobody needs them. One that is idle towards another origin is closed for one that is
 * needed. A pool of its own for each upstream keeps a slow one from taking the connections of the others.
 *
 * It is this file's own, over undici's `Client`, which is one connection. undici's `Pool` has one origin, cannot take a
 * waiting request out of its queue, and opens a new connection for every request that is aborted (nodejs/undici#5845):
 * towards a service that hangs, each timeout would leave one that is never answered, and the first calls after the
 * service's return would hang in those.
 */
export class SocketPool {
  private readonly connectionsMax: number;
  private readonly idleMax: number;
  /** Every connection and its origin. */
  private readonly connections = new Map<Client, string>();
  /** The last one used is the first to be used again, so that connections that are not needed grow old and close. */
  private readonly idle: Client[] = [];
  private readonly waiting = new Fifo<Waiter>();
  private readonly running = new Set<Waiter>();
  private isClosed = false;

  constructor({ connectionsMax, idleMax }: Omit<PoolOptions, 'shared'>) {
    this.connectionsMax = connectionsMax;
    this.idleMax = idleMax;
  }

  get closed(): boolean {
    return this.isClosed;
  }

  /** Starts the waiter at once, or when its turn has come. Not after `close`. */
  acquire(waiter: Waiter): void {
    this.waiting.push(waiter);
    this.startNext();
  }

  /** A waiter that has not started no longer wants to. */
  withdraw(waiter: Waiter): void {
    leaveLine(waiter);
  }

  /** Ends the request that runs on a connection, and with it the connection. `release` is still due. */
  abort(connection: Client): void {
    void connection.destroy(abandoned);
  }

  /** Nothing happens any more on the waiter's behalf. */
  release(waiter: Waiter, connection: Client): void {
    this.running.delete(waiter);
    if (connection.destroyed) this.connections.delete(connection);
    else this.idle.push(connection);
    this.startNext();
    if (this.idle.length > this.idleMax) this.closeOldestIdle();
  }

  /** Tells all waiters and closes every connection; resolves when they are closed. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (let waiter = this.waiting.first; waiter !== undefined; waiter = this.waiting.first) {
      leaveLine(waiter);
      waiter.poolClosed();
    }
    for (const waiter of this.running) waiter.poolClosed();
    await Promise.all([...this.connections.keys()].map((connection) => connection.destroy()));
  }

  private startNext(): void {
    const next = this.waiting.first;
    if (next === undefined || this.isClosed) return;
    const connection = this.connectionTo(next.origin);
    if (connection === undefined) return;
    leaveLine(next);
    this.running.add(next);
    next.start(connection);
  }

  private connectionTo(origin: string): Client | undefined {
    const place = this.idle.findLastIndex((connection) => this.connections.get(connection) === origin);
    if (place >= 0) return this.idle.splice(place, 1)[0];
    if (this.connections.size >= this.connectionsMax) this.closeOldestIdle();
    if (this.connections.size >= this.connectionsMax) return undefined;
    const connection = new Client(origin, connectionOptions);
    this.connections.set(connection, origin);
    return connection;
  }

  private closeOldestIdle(): void {
    const connection = this.idle.shift();
    if (connection === undefined) return;
    this.connections.delete(connection);
    void connection.destroy();
  }
}
