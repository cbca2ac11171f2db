import { beforeEach, expect, test } from 'vitest';
import type { Charge } from '../harness/ledger.ts';
import { paymentApp } from './payment-app.ts';

let charges: Charge[];
let retained: number;
let diskFull: boolean;
let app: ReturnType<typeof paymentApp>;

beforeEach(() => {
  charges = [];
  retained = 0;
  diskFull = false;
  app = paymentApp({
    ledger: {
      find: (key) => charges.find((charge) => charge.key === key),
      append(order) {
        if (diskFull) throw new Error('ENOSPC');
        const charge = { paymentId: `pay-${charges.length + 1}`, ...order };
        charges.push(charge);
        return charge;
      },
    },
    leak: {
      grow() {
        retained++;
      },
      count: () => retained,
    },
    now: () => 7,
  });
});

const order = { orderId: 'o-1', amountCents: 250 };

function pay(payload: object | string, headers: Record<string, string> = {}) {
  return app.inject({
    method: 'POST',
    url: '/payments',
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

test('a payment is charged once, answered with its receipt, and retains one portion', async () => {
  const answer = await pay(order);
  expect([answer.statusCode, answer.json()]).toEqual([
    201,
    { paymentId: 'pay-1', ...order, replayed: false },
  ]);
  expect(charges).toEqual([{ paymentId: 'pay-1', ...order, atMs: 7 }]);
  expect(retained).toBe(1);
});

test('a key that was seen gets the stored receipt; nothing is charged nor retained', async () => {
  await pay(order, { 'idempotency-key': 'k' });
  const again = await pay(order, { 'idempotency-key': 'k' });
  expect([again.statusCode, again.json()]).toEqual([200, { paymentId: 'pay-1', ...order, replayed: true }]);
  expect(charges).toHaveLength(1);
  expect(retained).toBe(1);
});

test('the same key with another payment is refused with 422', async () => {
  await pay(order, { 'idempotency-key': 'k' });
  expect((await pay({ ...order, amountCents: 251 }, { 'idempotency-key': 'k' })).statusCode).toBe(422);
  expect((await pay({ ...order, orderId: 'o-2' }, { 'idempotency-key': 'k' })).statusCode).toBe(422);
  expect(charges).toHaveLength(1);
});

test('without a key the same order is charged again', async () => {
  await pay(order);
  await pay(order);
  expect(charges.map((charge) => charge.paymentId)).toEqual(['pay-1', 'pay-2']);
});

test('when the ledger cannot be written the answer is 503, and neither a charge nor a portion is left', async () => {
  diskFull = true;
  expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(503);
  expect(retained).toBe(0);
  diskFull = false;
  expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(201);
});

test.each([
  ['broken JSON', '{"orderId":', 400],
  ['no order', {}, 400],
  ['an order id that is no text', { ...order, orderId: 1 }, 400],
  ['an empty order id', { ...order, orderId: '' }, 400],
  ['a very long order id', { ...order, orderId: 'x'.repeat(101) }, 400],
  ['an amount in text', { ...order, amountCents: '250' }, 400],
  ['an amount of 0', { ...order, amountCents: 0 }, 400],
  ['a negative amount', { ...order, amountCents: -1 }, 400],
  ['a fraction of a cent', { ...order, amountCents: 0.5 }, 400],
  ['an amount beyond whole numbers', { ...order, amountCents: 1e300 }, 400],
  ['a huge body', { ...order, note: 'x'.repeat(20_000) }, 413],
])('%s is refused with a 4xx and not charged', async (_, payload, status) => {
  expect((await pay(payload)).statusCode).toBe(status);
  expect(charges).toHaveLength(0);
});

test('a body that is not JSON, a key that cannot be used, a wrong method and a wrong path get a 4xx', async () => {
  expect((await pay('orderId=1', { 'content-type': 'text/csv' })).statusCode).toBe(415);
  expect((await pay(order, { 'idempotency-key': '' })).statusCode).toBe(400);
  expect((await pay(order, { 'idempotency-key': 'k'.repeat(256) })).statusCode).toBe(400);
  expect((await app.inject({ method: 'DELETE', url: '/payments' })).statusCode).toBe(404);
  expect((await app.inject({ method: 'GET', url: '/' })).statusCode).toBe(404);
  expect(charges).toHaveLength(0);
});

test('it says that it is up', async () => {
  expect((await app.inject({ method: 'GET', url: '/healthz' })).json()).toEqual({ status: 'up' });
});
