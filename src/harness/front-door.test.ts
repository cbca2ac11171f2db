import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '../patterns/usage-error.ts';
import { type FrontDoor, openFrontDoor } from './front-door.ts';
import type { DownBehaviour } from './target-plan.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function door(down: DownBehaviour, port?: number): Promise<FrontDoor> {
  const opened = await openFrontDoor({ down, port });
  cleanups.push(() => {
    opened.close();
  });
  return opened;
}

/** A service that can be handed connections: as much of one as is needed here, so that it starts fast. */
async function service(): Promise<ChildProcess> {
  const code = `
    const server = require('node:http').createServer((_, response) => response.end('served'));
    process.on('message', (_, socket) => {
      if (socket) server.emit('connection', socket);
      process.send({ type: 'taken' });
    });
    process.on('disconnect', () => process.exit());
    process.send({ type: 'ready' });`;
  const child = spawn(process.execPath, ['--eval', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  cleanups.push(() => kill(child));
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

interface Client {
  socket: Socket;
  /** What came so far. */
  text: string;
  /** `ECONNREFUSED`, or `closed` when the other side ended the connection. */
  ended: string | undefined;
}

/** A client that asks for something as soon as it is connected. */
function ask(port: number): Client {
  const socket = connect({ host: '127.0.0.1', port });
  const client: Client = { socket, text: '', ended: undefined };
  socket.on('data', (data) => (client.text += data.toString()));
  socket.once('error', (error: NodeJS.ErrnoException) => (client.ended ??= error.code));
  socket.once('end', () => (client.ended ??= 'closed'));
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  cleanups.push(() => socket.destroy());
  return client;
}

async function served(port: number): Promise<Client> {
  const client = ask(port);
  await vi.waitFor(() => {
    expect(client.text).toContain('served');
  }, 10_000);
  return client;
}

async function refused(port: number): Promise<void> {
  const client = ask(port);
  await vi.waitFor(() => {
    expect(client.ended).toBe('ECONNREFUSED');
  });
}

test('hang: what connects while nobody serves is held and stays silent, while new connections are served after the return', async () => {
  const opened = await door('hang');
  const silent = ask(opened.port);
  await vi.waitFor(() => {
    expect(opened.heldCount()).toBe(1);
  });
  await opened.serve(await service());
  await served(opened.port);
  await served(opened.port);
  expect([silent.text, silent.ended]).toEqual(['', undefined]);
});

test('hang: a held connection is let go of when its client gives up', async () => {
  const opened = await door('hang');
  const clients = [ask(opened.port), ask(opened.port), ask(opened.port)];
  await vi.waitFor(() => {
    expect(opened.heldCount()).toBe(3);
  });
  clients[0]?.socket.destroy();
  clients[1]?.socket.end();
  clients[2]?.socket.resetAndDestroy();
  await vi.waitFor(() => {
    expect(opened.heldCount()).toBe(0);
  });
});

test('hang: when the service dies its connections end with it, and the next one is held', async () => {
  const opened = await door('hang');
  const child = await service();
  await opened.serve(child);
  const client = await served(opened.port);
  await kill(child);
  await vi.waitFor(() => {
    expect(client.ended).toBeDefined();
  });
  const next = ask(opened.port);
  await vi.waitFor(() => {
    expect(opened.heldCount()).toBe(1);
  });
  expect(next.ended).toBeUndefined();
});

test('connections on their way to a service that dies before it takes them end, and none is forgotten', async () => {
  const opened = await door('hang');
  const child = await service();
  await opened.serve(child);
  child.kill('SIGSTOP');
  const clients = Array.from({ length: 20 }, () => ask(opened.port));
  await vi.waitFor(() => {
    expect(clients.every((client) => client.socket.readyState === 'open')).toBe(true);
  });
  await kill(child);
  await vi.waitFor(() => {
    // Those that arrived after the death are held like any other.
    expect(clients.filter((client) => client.ended !== undefined).length + opened.heldCount()).toBe(20);
  });
  expect(clients[0]?.ended).toBeDefined();
});

test('refuse: the port refuses before the first service, between two, and after the last; it is the same port each time', async () => {
  const opened = await door('refuse');
  await refused(opened.port);
  for (let life = 0; life < 2; life++) {
    const child = await service();
    await opened.serve(child);
    await served(opened.port);
    await kill(child);
    await refused(opened.port);
  }
});

test('refuse: a port that somebody else has for a moment is asked for again', async () => {
  const opened = await door('refuse');
  const other = createServer().listen({ host: '127.0.0.1', port: opened.port });
  await once(other, 'listening');
  const child = await service();
  const serving = opened.serve(child);
  await new Promise((resolve) => setTimeout(resolve, 150));
  other.close();
  await serving;
  await served(opened.port);
});

test('refuse: a service that dies while the port is being opened leaves it closed', async () => {
  const opened = await door('refuse');
  const other = createServer().listen({ host: '127.0.0.1', port: opened.port });
  await once(other, 'listening');
  const child = await service();
  const serving = opened.serve(child);
  await kill(child);
  other.close();
  await serving;
  await refused(opened.port);
});

test('a free port is taken below those of outgoing connections', async () => {
  const { port } = await door('hang');
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_000);
});

test('an asked port is had; asked again it is taken, which is one clear line', async () => {
  const { port } = await door('hang');
  await expect(openFrontDoor({ down: 'hang', port })).rejects.toThrow(
    new UsageError(`--target-port ${port} is taken; allowed: a free port, or 0 for any`),
  );
});

test.each([0, -1, 1.5, 65_536, Number.NaN])('port %d is refused with what is allowed', async (port) => {
  await expect(openFrontDoor({ down: 'hang', port })).rejects.toThrow(
    new UsageError(`port ${port}: must be a whole number from 1 to 65535`),
  );
});

test('closing ends held connections and refuses new ones', async () => {
  const opened = await door('hang');
  const client = ask(opened.port);
  await vi.waitFor(() => {
    expect(opened.heldCount()).toBe(1);
  });
  opened.close();
  await vi.waitFor(() => {
    expect(client.ended).toBeDefined();
  });
  await refused(opened.port);
});
