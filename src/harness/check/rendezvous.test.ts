import { expect, test, vi } from 'vitest';
import { Rendezvous } from './rendezvous.ts';

/** Whether it has happened by now. */
async function hasCome(what: Promise<void>): Promise<boolean> {
  return Promise.race([what.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
}

test('nobody begins before the last one has come', async () => {
  const together = new Rendezvous(2, 1000);
  const first = together.arrive();
  expect(await hasCome(first)).toBe(false);
  await Promise.all([first, together.arrive()]);
});

test('nobody waits for one that has left', async () => {
  const together = new Rendezvous(2, 1000);
  together.leave();
  await together.arrive();
});

test('whoever comes when all are through goes on at once', async () => {
  const together = new Rendezvous(2, 1000);
  const first = together.arrive();
  together.leave();
  await first;
  await together.arrive();
});

test('the first one does not wait for longer than the limit', async () => {
  vi.useFakeTimers();
  try {
    const together = new Rendezvous(2, 1000);
    const first = together.arrive();
    vi.advanceTimersByTime(999);
    expect(await hasCome(first)).toBe(false);
    vi.advanceTimersByTime(1);
    await first;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
