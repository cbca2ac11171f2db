import { expect, test } from 'vitest';
import { BurstCounter } from './burst-counter.ts';

test('nothing is no burst', () => {
  expect(new BurstCounter(10).most).toBe(0);
});

test('what happens in the same step is together, in whatever order it is told', () => {
  const burst = new BurstCounter(10);
  for (const atMs of [30, 12, 39.9, 40, 35]) burst.add(atMs);
  expect(burst.most).toBe(3);
});
