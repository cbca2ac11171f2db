import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readLedger } from '../harness/ledger.ts';
import { monotonicMs, realClock } from '../harness/time.ts';
import { Cancellation } from '../patterns/cancellation.ts';
import type { Layer, Runtime, Send } from '../patterns/layer.ts';
import { seededRandom } from '../patterns/random.ts';
import { retry } from '../patterns/retry.ts';
import { compose } from '../patterns/pipeline.ts';
import { timeout } from '../patterns/timeout.ts';
import { createLeak } from './leak.ts';
import { Ledger } from './ledger.ts';
import { paymentApp } from './payment-app.ts';
import type { PaymentOrder, PaymentReceipt } from './payment.ts';
import { createPaymentClient, type PaymentClient } from './payment-client.ts';
import { SocketPool } from './socket-pool.ts';

const order: PaymentOrder = { orderId: 'o-1', amountCents: 100 };
const receipt: PaymentReceipt = { paymentId: 'pay-1', ...order, replayed: false };
const runtime: Runtime = { clock: realClock, random: seededRandom(1) };
const fastRetry = retry({ baseMs: 1 }, runtime);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Seen {
  requests: number;
  connections: number;
  /** Answers whose client left before they ended. */
  aborts: number;
  openSockets: number;
  keys: (string | undefined)[];
}

type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** A service that answers each request as told (the first has number 1), and what it saw. */
async function service(handler: Handler): Promise<{ origin: string; seen: Seen }> {
  const seen: Seen = { requests: 0, connections: 0, aborts: 0, openSockets: 0, keys: [] };
  const server = createServer((request, response) => {
    const number = ++seen.requests;
    seen.keys.push(request.headers['idempotency-key'] as string | undefined);
    response.once('close', () => {
      if (!response.writableFinished) seen.aborts++;
    });
    request.resume().once('end', () => {
      handler(request, response, number);
    });
  });
  server.on('connection', (socket) => {
    seen.connections++;
    seen.openSockets++;
    socket.once('close', () => seen.openSockets--);
  });
  return { origin: await originOf(server), seen };
}

async function originOf(server: TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    if (server instanceof Server) server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client with a pool of its own, which `close` closes. */
function clientOf(
  origin: string,
  connectionsMax = 100,
  onAttempt?: () => void,
): PaymentClient & { close(): Promise<void> } {
  const pool = new SocketPool({ connectionsMax, idleMax: 20 });
  const close = () => pool.close();
  cleanups.push(close);
  return { ...createPaymentClient({ origin, pool, onAttempt }), close };
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function pay(
  send: Send<PaymentOrder, PaymentReceipt>,
  more: { key?: string; cancellation?: Cancellation } = {},
) {
  const { key, cancellation = new Cancellation() } = more;
  return send(order, { method: 'POST', idempotencyKey: key, cancellation });
}

function through(client: PaymentClient, ...layers: Layer[]): Send<PaymentOrder, PaymentReceipt> {
  return compose(layers, client.send);
}

test('a receipt is a confirmation, and the next call uses the same socket', async () => {
  const { origin, seen } = await service((_, response) => {
    answer(response, 201, receipt);
  });
  const client = clientOf(origin);
  expect(await pay(client.send)).toEqual({ ok: true, value: receipt });
  expect(await pay(client.send)).toEqual({ ok: true, value: receipt });
  expect(seen).toMatchObject({ requests: 2, connections: 1 });
  expect(client.inFlight()).toBe(0);
});

test('an answer that arrives in pieces is put together', async () => {
  const { origin } = await service((_, response) => {
    const text = JSON.stringify(receipt);
    response.writeHead(201);
    response.write(text.slice(0, 9));
    setImmediate(() => response.end(text.slice(9)));
  });
  expect(await pay(clientOf(origin).send)).toEqual({ ok: true, value: receipt });
});

test.each([
  [500, 'http-5xx'],
  [503, 'http-5xx'],
  [404, 'http-4xx'],
  [422, 'http-4xx'],
  [302, 'http-4xx'],
] as const)('an answer %i is %s with its status and its Retry-After', async (status, kind) => {
  const { origin, seen } = await service((_, response) => {
    answer(response, status, { message: 'x'.repeat(100_000) }, { 'retry-after': '2' });
  });
  const client = clientOf(origin);
  expect(await pay(client.send)).toEqual({ ok: false, failure: { kind, status, retryAfterMs: 2000 } });
  await pay(client.send);
  expect(seen.connections).toBe(1);
});

test.each([['no JSON at all'], ['"text"'], ['{"paymentId":1}'], ['null']])(
  'a 201 with the body %s is no receipt and counts as http-5xx',
  async (body) => {
    const { origin } = await service((_, response) => response.writeHead(201).end(body));
    expect(await pay(clientOf(origin).send)).toMatchObject({ failure: { kind: 'http-5xx', status: 201 } });
  },
);

test('nobody listens: refused, those who wait for a connection too', async () => {
  const server = createTcpServer();
  const origin = await originOf(server);
  await new Promise((resolve) => server.close(resolve));
  const client = clientOf(origin, 2);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => pay(client.send)));
  expect(outcomes).toEqual(new Array(20).fill({ ok: false, failure: { kind: 'refused' } }));
  expect(client.inFlight()).toBe(0);
});

test('nobody listens: refused', async () => {
  const server = createTcpServer();
  const origin = await originOf(server);
  await new Promise((resolve) => server.close(resolve));
  const client = clientOf(origin);
  expect(await pay(client.send)).toEqual({ ok: false, failure: { kind: 'refused' } });
  expect(client.inFlight()).toBe(0);
});

test.each([
  ['closed', (request: IncomingMessage) => request.socket.destroy()],
  ['reset', (request: IncomingMessage) => request.socket.resetAndDestroy()],
  [
    'closed in mid-answer',
    (request: IncomingMessage) =>
      request.socket.end('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"pay'),
  ],
  [
    'answered with something that is not HTTP',
    (request: IncomingMessage) => request.socket.end('220 mail.example ESMTP\r\n'),
  ],
])('a connection that is %s after the request was sent: reset', async (_, breakIt) => {
  const { origin } = await service((request) => breakIt(request));
  expect(await pay(clientOf(origin).send)).toEqual({ ok: false, failure: { kind: 'reset' } });
});

test('a key that cannot be a header is a bug of the caller and no outcome', async () => {
  const { origin, seen } = await service((_, response) => {
    answer(response, 201, receipt);
  });
  const client = clientOf(origin);
  await expect(pay(client.send, { key: 'a\nb' })).rejects.toThrow('idempotency-key');
  expect(client.inFlight()).toBe(0);
  expect(seen.requests).toBe(0);
});

test('R24: after a 500 only the body of the second answer arrives; the first was drained and its socket is used again', async () => {
  const { origin, seen } = await service((_, response, number) => {
    if (number === 1) answer(response, 500, { message: 'x'.repeat(100_000) });
    else answer(response, 201, receipt);
  });
  expect(await pay(through(clientOf(origin), fastRetry), { key: 'k' })).toEqual({ ok: true, value: receipt });
  expect(seen).toMatchObject({ requests: 2, connections: 1, aborts: 0 });
});

test('R32: a POST without a key whose connection broke after it was sent is not sent again', async () => {
  const { origin, seen } = await service((request) => request.socket.destroy());
  expect(await pay(through(clientOf(origin), fastRetry))).toEqual({ ok: false, failure: { kind: 'reset' } });
  expect(seen.requests).toBe(1);
});

test('R32: a POST without a key that was refused is sent once the service is there', async () => {
  const { origin, seen } = await service((_, response) => {
    answer(response, 201, receipt);
  });
  const nobody = createTcpServer();
  const nowhere = await originOf(nobody);
  await new Promise((resolve) => nobody.close(resolve));
  const clients = [clientOf(nowhere), clientOf(origin)];
  let attempts = 0;
  const send: Send<PaymentOrder, PaymentReceipt> = (request, call) =>
    (clients[attempts++] as PaymentClient).send(request, call);
  expect(await pay(compose([fastRetry], send))).toEqual({ ok: true, value: receipt });
  expect([attempts, seen.requests]).toEqual([2, 1]);
});

test('R33: three attempts of one POST carry one key and leave one row in the ledger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-client-'));
  const path = join(folder, 'ledger.ndjson');
  const ledger = new Ledger(path);
  cleanups.push(() => {
    ledger.close();
    rmSync(folder, { recursive: true });
  });
  const app = paymentApp({
    ledger,
    leak: createLeak('rss', 0),
    fault: {},
    keyRequired: false,
    now: monotonicMs,
  });
  const { origin, seen } = await service((request, response, number) => {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': request.headers['idempotency-key'],
    };
    // Charged each time, and twice the connection breaks before the answer is out.
    void app.inject({ method: 'POST', url: '/payments', payload: order, headers }).then((charged) => {
      if (number < 3) request.socket.destroy();
      else response.writeHead(charged.statusCode).end(charged.payload);
    });
  });
  const outcome = await pay(through(clientOf(origin), fastRetry), { key: 'key-1' });
  expect(outcome).toEqual({ ok: true, value: { ...receipt, replayed: true } });
  expect(seen.keys).toEqual(['"key-1"', '"key-1"', '"key-1"']);
  expect(readLedger(path).charges).toMatchObject([{ orderId: 'o-1', key: 'key-1' }]);
});

test('T35: when the moment of its timeout passes after the answer, nothing happens to the answer or its socket', async () => {
  const { origin, seen } = await service((_, response) => {
    answer(response, 201, receipt);
  });
  const limitMs = 500;
  const send = through(clientOf(origin), timeout({ limitMs }, runtime));
  const outcome = await pay(send);
  await new Promise((resolve) => setTimeout(resolve, limitMs + 50));
  expect(outcome).toEqual({ ok: true, value: receipt });
  expect(seen).toMatchObject({ aborts: 0, openSockets: 1 });
  await pay(send);
  expect(seen.connections).toBe(1);
});

test('T37: 20 calls that time out close 20 sockets, the service sees 20 aborts and none runs on', async () => {
  const { origin, seen } = await service(() => undefined);
  const client = clientOf(origin);
  const send = through(client, timeout({ limitMs: 300 }, runtime));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => pay(send)));
  expect(outcomes.every((outcome) => !outcome.ok && outcome.failure.kind === 'timeout')).toBe(true);
  await vi.waitFor(() => {
    expect(client.inFlight()).toBe(0);
    expect(seen).toMatchObject({ requests: 20, connections: 20, aborts: 20, openSockets: 0 });
  });
});

test('a call cancelled while it runs is cancelled with that very reason, and its socket closes', async () => {
  const { origin, seen } = await service(() => undefined);
  const client = clientOf(origin);
  const cancellation = new Cancellation();
  const outcome = pay(client.send, { cancellation });
  await vi.waitFor(() => {
    expect(seen.requests).toBe(1);
  });
  const reason = { because: 'enough' };
  cancellation.cancel(reason);
  const ended = await outcome;
  expect(ended).toMatchObject({ failure: { kind: 'cancelled' } });
  expect(ended.ok ? undefined : ended.failure.reason).toBe(reason);
  await vi.waitFor(() => {
    expect(seen).toMatchObject({ aborts: 1, openSockets: 0 });
  });
});

test('a call cancelled before it starts, or while it connects, never reaches the service', async () => {
  const { origin, seen } = await service((_, response) => {
    answer(response, 201, receipt);
  });
  const client = clientOf(origin, 1);
  const before = new Cancellation();
  before.cancel('early');
  expect(await pay(client.send, { cancellation: before })).toMatchObject({
    failure: { kind: 'cancelled', reason: 'early' },
  });
  const connecting = new Cancellation();
  const outcome = pay(client.send, { cancellation: connecting });
  connecting.cancel('soon');
  expect(await outcome).toMatchObject({ failure: { kind: 'cancelled', reason: 'soon' } });
  expect(await pay(client.send)).toEqual({ ok: true, value: receipt });
  expect(seen.requests).toBe(1);
  expect(client.inFlight()).toBe(0);
});

test('calls beyond the connections wait their turn, and one that is cancelled meanwhile is no attempt', async () => {
  let attempts = 0;
  const release: (() => void)[] = [];
  const { origin, seen } = await service((_, response) => {
    release.push(() => {
      answer(response, 201, receipt);
    });
  });
  const client = clientOf(origin, 2, () => attempts++);
  const third = new Cancellation();
  const calls = [
    pay(client.send),
    pay(client.send),
    pay(client.send, { cancellation: third, key: 'third' }),
    pay(client.send, { key: 'fourth' }),
  ];
  await vi.waitFor(() => {
    expect(release).toHaveLength(2);
  });
  expect(client.inFlight()).toBe(4);
  third.cancel('no');
  expect(await calls[2]).toMatchObject({ failure: { kind: 'cancelled', reason: 'no' } });
  expect(client.inFlight()).toBe(3);
  release[0]?.();
  await vi.waitFor(() => {
    expect(release).toHaveLength(3);
  });
  release[1]?.();
  release[2]?.();
  expect((await Promise.all(calls)).map((outcome) => outcome.ok)).toEqual([true, true, false, true]);
  expect(seen.keys).toEqual([undefined, undefined, '"fourth"']);
  expect(attempts).toBe(3);
  expect(seen.connections).toBe(2);
});

test('no call keeps hold of its caller’s cancellation, however it ended', async () => {
  const { origin } = await service((request, response, number) => {
    if (number % 3 === 0) request.socket.destroy();
    else answer(response, number % 3 === 1 ? 201 : 500, receipt);
  });
  const client = clientOf(origin);
  const cancellation = new Cancellation();
  const linked = new Set<unknown>();
  const link = vi.spyOn(cancellation, 'link').mockImplementation((child) => {
    linked.add(child);
  });
  vi.spyOn(cancellation, 'unlink').mockImplementation((child) => {
    linked.delete(child);
  });
  for (let call = 0; call < 6; call++) await pay(client.send, { cancellation });
  expect(link).toHaveBeenCalledTimes(6);
  expect(linked.size).toBe(0);
});

test('closing ends what runs and what waits, and later calls, as cancelled', async () => {
  const { origin, seen } = await service(() => undefined);
  const client = clientOf(origin, 1);
  const calls = [pay(client.send), pay(client.send)];
  await vi.waitFor(() => {
    expect(seen.requests).toBe(1);
  });
  await client.close();
  calls.push(pay(client.send));
  for (const outcome of await Promise.all(calls)) {
    expect(outcome).toEqual({ ok: false, failure: { kind: 'cancelled', reason: 'client closed' } });
  }
  expect(client.inFlight()).toBe(0);
  await vi.waitFor(() => {
    expect(seen.openSockets).toBe(0);
  });
});
