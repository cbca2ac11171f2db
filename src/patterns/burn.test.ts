import { expect, test } from 'vitest';
import { burn } from './burn.ts';
import { Cancellation } from './cancellation.ts';
import { confirmed } from './outcome.ts';

test('blocks the thread before each call and passes the outcome on', async () => {
  let calledAtMs = 0;
  const send = burn({ forMs: 2 })(() => {
    calledAtMs = performance.now();
    return Promise.resolve(confirmed('paid'));
  });
  const startedAtMs = performance.now();
  const outcome = await send({}, { method: 'GET', cancellation: new Cancellation() });
  expect(outcome).toEqual(confirmed('paid'));
  expect(calledAtMs - startedAtMs).toBeGreaterThanOrEqual(2);
});
