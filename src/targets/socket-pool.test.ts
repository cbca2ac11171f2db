import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../patterns/cancellation.ts';
import type { Outcome } from '../patterns/outcome.ts';
import { SocketPool } from './socket-pool.ts';
import { createUpstreamClient, type UpstreamClient } from './upstream-client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A service that answers when it is told to, and what it has seen. */
class Service {
  /** In the order in which they came. */
  readonly paths: string[] = [];
  openSockets = 0;
  openSocketsMax = 0;
  private readonly unanswered: ServerResponse[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.paths.push(String(request.url));
      this.unanswered.push(response);
    });
    this.server.on('connection', (socket) => {
      this.openSockets += 1;
      this.openSocketsMax = Math.max(this.openSocketsMax, this.openSockets);
      socket.once('close', () => {
        this.openSockets -= 1;
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => {
      this.server.close();
      this.server.closeAllConnections();
    });
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers everything that it has been asked, once that is so much. */
  async answer(count: number): Promise<void> {
    await this.asked(this.paths.length - this.unanswered.length + count);
    for (const response of this.unanswered.splice(0)) response.end('{}');
  }

  async asked(total: number): Promise<void> {
    await vi.waitFor(() => {
      expect(this.paths).toHaveLength(total);
    });
  }

  async hasSockets(count: number): Promise<void> {
    await vi.waitFor(() => {
      expect(this.openSockets).toBe(count);
    });
  }
}

type TestClient = UpstreamClient<string, unknown>;

async function serviceOf(
  pool: SocketPool,
): Promise<{ origin: string; service: Service; client: TestClient }> {
  const service = new Service();
  const origin = await service.listen();
  const protocol = { request: (path: string) => ({ path }), read: (answer: unknown) => answer };
  return { origin, service, client: createUpstreamClient({ origin, pool, protocol }) };
}

function poolOf(connectionsMax: number, idleMax: number): SocketPool {
  const pool = new SocketPool({ connectionsMax, idleMax });
  cleanups.push(() => pool.close());
  return pool;
}

function get(client: TestClient, path: string, cancellation = new Cancellation()): Promise<Outcome<unknown>> {
  return client.send(path, { method: 'GET', cancellation });
}

const ok = { ok: true, value: {} };

test('with a pool each, the one service answers while all connections to the other hang', async () => {
  const hanging = await serviceOf(poolOf(2, 2));
  const healthy = await serviceOf(poolOf(2, 2));
  for (const path of ['/a', '/b', '/c']) void get(hanging.client, path);
  await hanging.service.asked(2);
  const answer = get(healthy.client, '/d');
  await healthy.service.answer(1);
  expect(await answer).toEqual(ok);
  expect(hanging.client.inFlight()).toBe(3);
});

test('in a shared pool the calls of one service wait behind those of another that hangs, and go on when one of them ends', async () => {
  const pool = poolOf(2, 2);
  const hanging = await serviceOf(pool);
  const healthy = await serviceOf(pool);
  const first = new Cancellation();
  void get(hanging.client, '/a', first);
  void get(hanging.client, '/b');
  await hanging.service.asked(2);
  const answer = get(healthy.client, '/c');
  // Somebody else is served by then.
  const elsewhere = fetch(`${healthy.origin}/elsewhere`);
  await healthy.service.answer(1);
  await elsewhere;
  expect(healthy.service.paths).toEqual(['/elsewhere']);
  first.cancel('enough');
  await healthy.service.answer(1);
  expect(await answer).toEqual(ok);
});

test('a shared pool serves whoever came first, whichever service they want', async () => {
  const pool = poolOf(1, 1);
  const one = await serviceOf(pool);
  const other = await serviceOf(pool);
  const running = get(one.client, '/1');
  const order: string[] = [];
  const waiting = [
    get(other.client, '/2').then(() => order.push('/2')),
    get(one.client, '/3').then(() => order.push('/3')),
    get(other.client, '/4').then(() => order.push('/4')),
  ];
  for (const { service } of [one, other, one, other]) await service.answer(1);
  await Promise.all([running, ...waiting]);
  expect(order).toEqual(['/2', '/3', '/4']);
  expect([one.service.openSocketsMax, other.service.openSocketsMax]).toEqual([1, 1]);
});

test('a shared pool closes an idle connection to one service where its budget is needed for another', async () => {
  const pool = poolOf(2, 2);
  const one = await serviceOf(pool);
  const other = await serviceOf(pool);
  const firsts = [get(one.client, '/a'), get(one.client, '/b')];
  await one.service.answer(2);
  await Promise.all(firsts);
  await one.service.hasSockets(2);
  const answer = get(other.client, '/c');
  await other.service.answer(1);
  expect(await answer).toEqual(ok);
  await one.service.hasSockets(1);
  expect(other.service.openSockets).toBe(1);
});

test.each([0, 1, 3])('keeps %i connections that nobody needs', async (idleMax) => {
  const { service, client } = await serviceOf(poolOf(5, idleMax));
  const calls = ['/a', '/b', '/c', '/d'].map((path) => get(client, path));
  await service.answer(4);
  expect(await Promise.all(calls)).toEqual([ok, ok, ok, ok]);
  await service.hasSockets(idleMax);
  const next = get(client, '/e');
  await service.answer(1);
  expect(await next).toEqual(ok);
  expect(service.openSocketsMax).toBe(4);
});

test('a connection for which somebody waits is never idle', async () => {
  const { service, client } = await serviceOf(poolOf(1, 0));
  const calls = ['/a', '/b', '/c'].map((path) => get(client, path));
  let connections = 0;
  for (let call = 0; call < calls.length; call += 1) {
    await service.answer(1);
    connections = Math.max(connections, service.openSocketsMax);
  }
  await Promise.all(calls);
  expect(service.paths).toEqual(['/a', '/b', '/c']);
  expect(connections).toBe(1);
});

test('a call that is cancelled while it waits leaves the queue, and those behind it keep their order', async () => {
  const { service, client } = await serviceOf(poolOf(1, 1));
  const second = new Cancellation();
  const calls = [get(client, '/1'), get(client, '/2', second), get(client, '/3'), get(client, '/4')];
  await service.asked(1);
  second.cancel('no');
  expect(await calls[1]).toEqual({ ok: false, failure: { kind: 'cancelled', reason: 'no' } });
  expect(client.inFlight()).toBe(3);
  for (let call = 0; call < 3; call += 1) await service.answer(1);
  await Promise.all(calls);
  expect(service.paths).toEqual(['/1', '/3', '/4']);
});

test('closing ends what runs and what waits in all its clients, and leaves no socket open', async () => {
  const pool = poolOf(2, 2);
  const one = await serviceOf(pool);
  const other = await serviceOf(pool);
  const calls = [
    get(one.client, '/a'),
    get(other.client, '/b'),
    get(one.client, '/c'),
    get(other.client, '/d'),
  ];
  await one.service.asked(1);
  await other.service.asked(1);
  await pool.close();
  calls.push(get(other.client, '/e'));
  for (const outcome of await Promise.all(calls)) {
    expect(outcome).toEqual({ ok: false, failure: { kind: 'cancelled', reason: 'client closed' } });
  }
  expect([one.client.inFlight(), other.client.inFlight()]).toEqual([0, 0]);
  await one.service.hasSockets(0);
  await other.service.hasSockets(0);
});
