import { beforeEach, expect, test, vi } from 'vitest';
import { type Charge, isClaim, type LedgerEntry } from '../harness/ledger.ts';
import type { Fault } from './faults/fault.ts';
import { paymentApp } from './payment-app.ts';

let entries: LedgerEntry[];
let retained: number;
/** Entries that the disk has room for. */
let room: number;
let app: ReturnType<typeof paymentApp>;

function start(fault: Fault, more: { keyRequired?: boolean; onClaimed?: () => void } = {}): typeof app {
  const write = (entry: LedgerEntry) => {
    if (room === 0) throw new Error('ENOSPC');
    room--;
    entries.push(entry);
  };
  return paymentApp({
    ledger: {
      find: (key) => entries.findLast((entry) => entry.key === key),
      claim(claim) {
        write({ kind: 'claim', ...claim });
      },
      append(order) {
        const charge = { paymentId: `pay-${charges().length + 1}`, ...order };
        write(charge);
        return charge;
      },
    },
    leak: {
      grow() {
        retained++;
      },
      count: () => retained,
    },
    fault,
    keyRequired: false,
    now: () => 7,
    ...more,
  });
}

function charges(): Charge[] {
  return entries.filter((entry): entry is Charge => !isClaim(entry));
}

beforeEach(() => {
  entries = [];
  retained = 0;
  room = Infinity;
  app = start({});
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
  expect(charges()).toEqual([{ paymentId: 'pay-1', ...order, atMs: 7 }]);
  expect(retained).toBe(1);
});

test('a key that was seen gets the stored receipt; nothing is charged nor retained', async () => {
  await pay(order, { 'idempotency-key': 'k' });
  const again = await pay(order, { 'idempotency-key': 'k' });
  expect([again.statusCode, again.json()]).toEqual([200, { paymentId: 'pay-1', ...order, replayed: true }]);
  expect(charges()).toHaveLength(1);
  expect(retained).toBe(1);
});

test('the same key with another payment is refused with 422', async () => {
  await pay(order, { 'idempotency-key': 'k' });
  expect((await pay({ ...order, amountCents: 251 }, { 'idempotency-key': 'k' })).statusCode).toBe(422);
  expect((await pay({ ...order, orderId: 'o-2' }, { 'idempotency-key': 'k' })).statusCode).toBe(422);
  expect(charges()).toHaveLength(1);
});

test('without a key the same order is charged again', async () => {
  await pay(order);
  await pay(order);
  expect(charges().map((charge) => charge.paymentId)).toEqual(['pay-1', 'pay-2']);
});

test.each([
  ['claim', 0],
  ['charge', 1],
])(
  'when the %s cannot be written the answer is 503, nothing is charged, and a retry may charge',
  async (_, left) => {
    room = left;
    expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(503);
    expect([charges(), retained]).toEqual([[], 0]);
    room = Infinity;
    expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(201);
    expect(charges()).toHaveLength(1);
  },
);

test('a key is claimed before its payment is charged, and a process that dies in between charges nobody', async () => {
  const claimed: LedgerEntry[][] = [];
  app = start({}, { onClaimed: () => claimed.push([...entries]) });
  await pay(order, { 'idempotency-key': 'k' });
  expect(claimed).toEqual([[{ kind: 'claim', key: 'k', ...order, atMs: 7 }]]);
  expect(entries).toMatchObject([{ kind: 'claim' }, { paymentId: 'pay-1', key: 'k' }]);
});

test('a claim that an earlier process left behind is charged, once, and only for the payment that claimed it', async () => {
  entries = [{ kind: 'claim', key: 'k', ...order, atMs: 1 }];
  expect((await pay({ ...order, amountCents: 1 }, { 'idempotency-key': 'k' })).statusCode).toBe(422);
  expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(201);
  expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(200);
  expect(charges()).toHaveLength(1);
});

test('a key whose payment is still under way gets 409 and when to come again; then the stored receipt', async () => {
  // Long enough to be under way still, however busy the machine is.
  app = start({ workMs: () => 1000 });
  const first = pay(order, { 'idempotency-key': '"k"' });
  await vi.waitFor(
    () => {
      expect(entries).toHaveLength(1);
    },
    { interval: 1 },
  );
  const second = await pay(order, { 'idempotency-key': '"k"' });
  expect([second.statusCode, second.headers['retry-after']]).toEqual([409, '1']);
  expect((await pay({ ...order, amountCents: 1 }, { 'idempotency-key': '"k"' })).statusCode).toBe(422);
  expect((await first).statusCode).toBe(201);
  expect((await pay(order, { 'idempotency-key': '"k"' })).json()).toMatchObject({ replayed: true });
  expect(charges()).toHaveLength(1);
});

test('where a key is required, a payment without one gets a problem with 400', async () => {
  app = start({}, { keyRequired: true });
  const answer = await pay(order);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect([answer.statusCode, answer.json()]).toEqual([
    400,
    { title: 'Bad Request', status: 400, detail: 'Idempotency-Key: is required for a payment' },
  ]);
  expect((await pay(order, { 'idempotency-key': '"k"' })).statusCode).toBe(201);
});

test('a fault that fails a payment answers 500 and neither claims nor charges', async () => {
  app = start({ arrival: () => 'fail' });
  expect((await pay(order, { 'idempotency-key': 'k' })).statusCode).toBe(500);
  expect(entries).toEqual([]);
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
  expect(charges()).toHaveLength(0);
});

test('a body that is not JSON, a key that cannot be used, a wrong method and a wrong path get a 4xx', async () => {
  expect((await pay('orderId=1', { 'content-type': 'text/csv' })).statusCode).toBe(415);
  expect((await pay(order, { 'idempotency-key': '' })).statusCode).toBe(400);
  expect((await pay(order, { 'idempotency-key': 'k'.repeat(256) })).statusCode).toBe(400);
  expect((await app.inject({ method: 'DELETE', url: '/payments' })).statusCode).toBe(404);
  expect((await app.inject({ method: 'GET', url: '/' })).statusCode).toBe(404);
  expect(charges()).toHaveLength(0);
});

test('it says that it is up', async () => {
  expect((await app.inject({ method: 'GET', url: '/healthz' })).json()).toEqual({ status: 'up' });
});
