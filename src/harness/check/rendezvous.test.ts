import { expect, test } from 'vitest';
import { SimClock } from '../../patterns/sim-clock.ts';
import { Rendezvous } from './rendezvous.ts';

function rendezvous(parties = 2) {
  const clock = new SimClock();
  const together = new Rendezvous(parties, 1000, clock);
  let gone = 0;
  const arrive = () =>
    void together.arrive().then(() => {
      gone += 1;
    });
  return { clock, together, arrive, gone: () => gone };
}

test('nobody begins before the last one has come', async () => {
  const { clock, together, arrive, gone } = rendezvous(3);
  arrive();
  arrive();
  await clock.advance(999);
  expect([gone(), together.met]).toEqual([0, false]);
  arrive();
  await clock.advance(0);
  expect([gone(), together.met]).toEqual([3, true]);
  together.leave();
  expect(together.met).toBe(true);
});

test.each([
  [
    'before it came',
    (together: Rendezvous) => {
      together.leave();
    },
  ],
  [
    'while it waited',
    (together: Rendezvous) => {
      void together.arrive();
      together.leave();
    },
  ],
])('nobody waits for one that left %s, and they have not met', async (_when, leave) => {
  const { clock, together, arrive, gone } = rendezvous();
  leave(together);
  arrive();
  await clock.advance(0);
  expect([gone(), together.met]).toEqual([1, false]);
});

test('the first one does not wait for longer than the limit, and who comes later goes on alone', async () => {
  const { clock, together, arrive, gone } = rendezvous();
  arrive();
  await clock.advance(1000);
  expect(gone()).toBe(1);
  arrive();
  await clock.advance(0);
  expect([gone(), together.met]).toEqual([2, false]);
});
