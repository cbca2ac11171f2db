import { expect, test } from 'vitest';
import { fateCode } from './load-plan.ts';
import { orderStories, ordersCsvLines } from './order-stories.ts';

const charge = (orderId: string) => ({ paymentId: 'p', orderId, amountCents: 1, atMs: 1 });

const stories = orderStories(
  {
    fates: Uint8Array.of(0, fateCode('confirmed'), fateCode('reset'), fateCode('skipped')),
    intendedMs: Float64Array.of(0, 1000, 1002.5, 1005),
  },
  new Map([
    ['o-1', 2],
    ['o-2', 4],
    ['w-0', 1],
  ]),
  { charges: ['o-1', 'o-2', 'o-2', 'w-0'].map(charge) },
  1000,
);

test('every order of the window has its story, and no other has', () => {
  expect(stories).toEqual([
    { orderId: 'o-1', intendedMs: 0, outcome: 'confirmed', attempts: 2, charges: 1 },
    { orderId: 'o-2', intendedMs: 2.5, outcome: 'reset', attempts: 4, charges: 2 },
    { orderId: 'o-3', intendedMs: 5, outcome: 'skipped', attempts: 0, charges: 0 },
  ]);
});

test('a story is a line', () => {
  expect(ordersCsvLines('retry+breaker', 2, stories.slice(1, 2))).toBe(
    'retry+breaker,2,o-2,2.5,reset,4,2\r\n',
  );
});
