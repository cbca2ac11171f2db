/**
 * Front door: the address that outlives the service. One port for life, whatever happens behind it.
 *
 * This process listens and accepts, and hands each connection to the living service over its IPC channel. So there is
 * no instant in which an address that should hang refuses, which there would be if the service listened by itself.
 */
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../patterns/usage-error.ts';
import { type ConnectionMessage, type DownBehaviour, isServiceMessage } from './target-plan.ts';

export interface FrontDoorOptions {
  readonly down: DownBehaviour;
  /** A port to have; default: a free one. */
  readonly port?: number | undefined;
  /** Hears that a port which a living service had closed cannot be had again. */
  readonly onLost?: (error: Error) => void;
}

export interface FrontDoor {
  readonly host: string;
  readonly port: number;
  /** From now until it exits, connections go to this process. Rejects if the port cannot be had again. */
  serve(child: ChildProcess): Promise<void>;
  /** Connections accepted while nobody served, which are held and never answered. */
  heldCount(): number;
  /** Closes the port and every held connection. */
  close(): void;
}

const host = '127.0.0.1';

/**
 * Below the ports that Linux (32768..60999) and macOS (49152..65535) give to outgoing connections: while the listener
 * is closed no outgoing connection can take the port, nor connect to itself.
 */
const portsFrom = 20_000;
const portsTo = 32_000;
const portTries = 50;

/** How long the port is asked for again when something else has it, and how often. */
const reopenTries = 40;
const reopenEveryMs = 50;

/**
 * Opens the address; nobody serves yet.
 *
 * @throws UsageError if the asked port is taken or cannot be had
 */
export async function openFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const held = new Set<Socket>();
  /**
   * On their way to the service, the first of them in the channel. Each is sent after the one before was taken, and
   * closed here only then: so it is known which ones a dying service leaves behind. (Left to itself, Node never closes
   * a socket that a dead process did not acknowledge, and its client hangs.)
   */
  const handing: Socket[] = [];
  let serving: ChildProcess | undefined;
  /** Whether the service that serves has closed its port. */
  let refusing = false;

  const accept = (socket: Socket): void => {
    // A client that leaves at any moment is no error of ours.
    socket.on('error', () => undefined);
    const child = serving;
    if (child?.connected) hand(child, socket);
    else if (options.down === 'hang') hold(socket);
    else socket.destroy();
  };

  const hand = (child: ChildProcess, socket: Socket): void => {
    handing.push(socket);
    if (handing.length === 1) sendFirst(child);
  };

  const sendFirst = (child: ChildProcess): void => {
    const message: ConnectionMessage = { type: 'connection' };
    // An error means that the service is dead; its exit is about to say so.
    if (handing[0] !== undefined) child.send(message, handing[0], { keepOpen: true }, () => undefined);
  };

  const hold = (socket: Socket): void => {
    held.add(socket);
    socket.once('close', () => held.delete(socket));
    // What the client sends is read and dropped: only so is it noticed when the client gives up.
    socket.resume();
  };

  const opened = await listenSomewhere(options.port, accept);
  const { port } = opened;
  let { server } = opened;
  if (options.down === 'refuse') server.close();

  /** Nobody serves from now on. */
  const shut = (): void => {
    serving = undefined;
    if (options.down === 'refuse') server.close();
    for (const socket of handing.splice(0)) socket.destroy();
  };

  /** Opens the port for this service, if it is closed. */
  const reopen = async (child: ChildProcess): Promise<void> => {
    const isDue = () => serving === child && !refusing && !server.listening;
    if (!isDue()) return;
    const reopened = await listenAgain(port, accept);
    // It may have died, been replaced or closed the port again while it was being opened.
    if (isDue()) server = reopened;
    else reopened.close();
  };

  return {
    host,
    port,
    async serve(child) {
      serving = child;
      refusing = false;
      child.on('message', (message) => {
        if (serving !== child) return;
        if (isServiceMessage(message, 'taken')) {
          handing.shift()?.destroy();
          sendFirst(child);
        } else if (isServiceMessage(message, 'refuse')) {
          refusing = true;
          server.close();
        } else if (isServiceMessage(message, 'listen')) {
          refusing = false;
          reopen(child).catch((error: unknown) => options.onLost?.(error as Error));
        }
      });
      child.once('exit', () => {
        if (serving === child) shut();
      });
      await reopen(child);
    },
    heldCount: () => held.size,
    close() {
      shut();
      server.close();
      for (const socket of held) socket.destroy();
    },
  };
}

async function listenSomewhere(
  asked: number | undefined,
  accept: (socket: Socket) => void,
): Promise<{ server: Server; port: number }> {
  if (asked !== undefined) {
    if (!Number.isInteger(asked) || asked < 1 || asked > 65_535) {
      throw new UsageError(`port ${asked}: must be a whole number from 1 to 65535`);
    }
    try {
      return { server: await listen(asked, accept), port: asked };
    } catch (error) {
      throw new UsageError(`--target-port ${asked} ${whyNot(error)}; allowed: a free port, or 0 for any`);
    }
  }
  for (let tries = 1; ; tries++) {
    const port = randomInt(portsFrom, portsTo);
    try {
      return { server: await listen(port, accept), port };
    } catch (error) {
      if (tries === portTries) throw new Error(`no free port on ${host}: ${port} ${whyNot(error)}`);
    }
  }
}

async function listenAgain(port: number, accept: (socket: Socket) => void): Promise<Server> {
  for (let tries = 1; ; tries++) {
    try {
      return await listen(port, accept);
    } catch (error) {
      if (tries === reopenTries)
        throw new Error(`port ${port} on ${host} ${whyNot(error)} while the service was down`);
      await sleep(reopenEveryMs);
    }
  }
}

function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Paused, because what is read here would be lost to the service; no delay, as an HTTP server would have it.
    const server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'is taken';
  if (code === 'EACCES') return 'is not allowed to this user';
  return `cannot be opened (${code ?? message})`;
}
