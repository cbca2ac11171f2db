import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import type { Call } from '../patterns/call.ts';
import type { Send } from '../patterns/layer.ts';
import { confirmed, failed } from '../patterns/outcome.ts';
import type { PaymentOrder, PaymentReceipt } from '../targets/payment.ts';
import type { User, UserRequest } from '../targets/user.ts';
import { createGatewayApp } from './gateway-app.ts';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

const order = { orderId: 'o-1', amountCents: 1999 };
const paid: Send<PaymentOrder, PaymentReceipt> = (request) =>
  Promise.resolve(confirmed({ paymentId: 'p-1', ...request, replayed: false }));

const found: Send<UserRequest, User> = ({ id }) =>
  Promise.resolve(confirmed({ id, name: 'Ada', email: 'a@x' }));

async function listen(
  pay = paid,
  idempotencyKeys = true,
  findUser = found,
): Promise<{ url: string; port: number; ended: () => number }> {
  let ended = 0;
  app = createGatewayApp({
    pay,
    findUser,
    idempotencyKeys,
    onOrder: () => undefined,
    onOrderEnd: () => {
      ended += 1;
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, ended: () => ended };
}

function post(url: string, body: string, type = 'application/json'): Promise<Response> {
  return fetch(`${url}/orders`, { method: 'POST', headers: { 'content-type': type }, body });
}

it('confirms a paid order', async () => {
  const { url } = await listen();
  const response = await post(url, JSON.stringify(order));
  expect([response.status, await response.json()]).toEqual([201, { orderId: 'o-1', paymentId: 'p-1' }]);
});

it('tells a client when to come back to an open breaker, as a problem document', async () => {
  const { url } = await listen(() => Promise.resolve(failed('breaker-open', { retryAfterMs: 1200 })));
  const response = await post(url, JSON.stringify(order));
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await response.json()).toMatchObject({ status: 503, failure: 'breaker-open' });
});

it('sends Retry-After with a full bulkhead, though nobody knows how long it takes', async () => {
  const { url } = await listen(() => Promise.resolve(failed('bulkhead-full')));
  expect((await post(url, JSON.stringify(order))).headers.get('retry-after')).toBe('1');
});

it.each<[string, string, number]>([
  ['broken JSON', '{"orderId":', 400],
  ['an empty body', '', 400],
  ['no order', '{}', 400],
  ['an amount in quotes', '{"orderId":"o-1","amountCents":"1999"}', 400],
  ['a negative amount', '{"orderId":"o-1","amountCents":-1}', 400],
  ['a member too many', '{"orderId":"o-1","amountCents":1,"admin":true}', 400],
  ['a poisoned prototype', '{"__proto__":{"a":1},"orderId":"o-1","amountCents":1}', 400],
  ['ten megabytes', JSON.stringify({ ...order, orderId: 'x'.repeat(10_000_000) }), 413],
])('answers %s with a problem and goes on', async (_what, body, status) => {
  const { url } = await listen();
  const response = await post(url, body).catch((error: unknown) => error as Error);
  // A server that refuses ten megabytes may close the socket before the client has finished sending.
  if (response instanceof Response) expect(response.status).toBe(status);
  else expect(status).toBe(413);
  expect((await post(url, JSON.stringify(order))).status).toBe(201);
});

it('answers other media types, methods and paths with a 4xx', async () => {
  const { url } = await listen();
  const statuses = await Promise.all([
    post(url, 'orderId=1', 'application/x-www-form-urlencoded').then((response) => response.status),
    ...['GET', 'PUT', 'DELETE'].map((method) =>
      fetch(`${url}/orders`, { method }).then((response) => response.status),
    ),
    fetch(`${url}/nowhere`).then((response) => response.status),
  ]);
  for (const status of statuses) expect([404, 405, 415]).toContain(status);
});

it('survives half requests and bytes that are no HTTP', async () => {
  const { url, port } = await listen();
  for (const junk of [
    'POST /orders HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{"or',
    '\x16\x03\x01\x02\x00',
    'GET / HTTP/9.9\r\n\r\n',
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.end(junk);
    socket.resume();
    await once(socket, 'close');
  }
  expect((await post(url, JSON.stringify(order))).status).toBe(201);
});

it('cancels the call when its client goes away', async () => {
  let seen: (call: Call) => void = () => undefined;
  const called = new Promise<Call>((resolve) => {
    seen = resolve;
  });
  const { url, ended } = await listen((_order, call) => {
    seen(call);
    return new Promise((resolve) => {
      call.cancellation.onCancel((reason) => {
        resolve(failed('cancelled', { reason }));
      });
    });
  });
  const client = new AbortController();
  const response = fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
    signal: client.signal,
  }).catch(() => 'aborted');
  const call = await called;
  client.abort();
  expect(await response).toBe('aborted');
  await expect.poll(ended).toBe(1);
  expect(call.cancellation.cancelled).toBe(true);
});

it.each([
  [true, expect.any(String)],
  [false, undefined],
])('gives each order an idempotency key: %s', async (idempotencyKeys, key) => {
  const calls: Call[] = [];
  const { url } = await listen((request, call) => {
    calls.push(call);
    return paid(request, call);
  }, idempotencyKeys);
  await post(url, JSON.stringify(order));
  await post(url, JSON.stringify(order));
  expect(calls.map((call) => call.idempotencyKey)).toEqual([key, key]);
  if (idempotencyKeys) expect(calls[0]?.idempotencyKey).not.toBe(calls[1]?.idempotencyKey);
});

it('serves the bystander without the payment service', async () => {
  const { url } = await listen(() => Promise.reject(new Error('not to be called')));
  const page = (await (await fetch(`${url}/catalog`)).json()) as { products: { priceCents: number }[] };
  const prices = page.products.map((product) => product.priceCents);
  expect(prices).toHaveLength(20);
  expect(prices).toEqual([...prices].sort((a, b) => a - b));
});

it('finds a user with a GET that may be repeated', async () => {
  const calls: [UserRequest, Call][] = [];
  const { url } = await listen(paid, true, (request, call) => {
    calls.push([{ ...request }, call]);
    return found(request, call);
  });
  const response = await fetch(`${url}/users/42`);
  expect([response.status, await response.json()]).toEqual([200, { id: '42', name: 'Ada', email: 'a@x' }]);
  expect(calls).toMatchObject([[{ id: '42' }, { method: 'GET', idempotencyKey: undefined }]]);
});

it('says why a user was not found, as a problem document', async () => {
  const { url } = await listen(paid, true, () => Promise.resolve(failed('timeout')));
  const response = await fetch(`${url}/users/42`);
  expect(response.status).toBe(504);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await response.json()).toMatchObject({ status: 504, failure: 'timeout' });
});

it.each(['0', '-1', '007', '1e3', 'me', '1234567890', '%00', '%zz', '1%2F..', '', '9'.repeat(300)])(
  'answers the user id %j with a 4xx and asks nobody',
  async (id) => {
    const { url } = await listen(paid, true, () => Promise.reject(new Error('not to be called')));
    const response = await fetch(`${url}/users/${id}`);
    expect([400, 404, 414]).toContain(response.status);
    expect(await response.json()).toMatchObject({ status: response.status });
  },
);
