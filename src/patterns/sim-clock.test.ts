import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimClock } from './sim-clock.ts';

describe('SimClock', () => {
  it('fires by due time and then by the order of setting, each at its own time', async () => {
    const delays = fc.array(fc.record({ delayMs: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(delays, async (timers) => {
        const clock = new SimClock(5);
        const fired: { index: number; atMs: number }[] = [];
        const cancels = timers.map(({ delayMs }, index) =>
          clock.after(delayMs, () => fired.push({ index, atMs: clock.now() })),
        );
        timers.forEach(({ cancelled }, index) => {
          if (cancelled) cancels[index]?.();
        });
        const kept = timers.map((timer, index) => ({ ...timer, index })).filter((timer) => !timer.cancelled);
        expect(clock.pending).toBe(kept.length);

        await clock.runUntilIdle();
        const expected = kept
          .sort((one, other) => one.delayMs - other.delayMs || one.index - other.index)
          .map(({ index, delayMs }) => ({ index, atMs: 5 + delayMs }));
        expect(fired).toEqual(expected);
        expect(clock.pending).toBe(0);
      }),
    );
  });

  it('runs every promise job before the next timer, also those that jobs queue', async () => {
    const clock = new SimClock();
    const order: string[] = [];
    clock.after(1, () => {
      let chain = Promise.resolve();
      for (let job = 0; job < 20; job += 1) chain = chain.then(() => undefined);
      void chain.then(() => order.push('jobs'));
    });
    clock.after(1, () => order.push('second timer'));
    await clock.advance(1);
    expect(order).toEqual(['jobs', 'second timer']);
  });

  it('fires what a timer sets within the time that passes, and leaves the rest', async () => {
    const clock = new SimClock();
    const fired: number[] = [];
    const tick = (): void => {
      fired.push(clock.now());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
    expect(clock.pending).toBe(1);
  });

  it('does nothing when a timer that has fired is cancelled', async () => {
    const clock = new SimClock();
    const cancel = clock.after(1, () => undefined);
    clock.after(2, () => undefined);
    await clock.advance(1);
    cancel();
    cancel();
    expect(clock.pending).toBe(1);
  });

  it('refuses a delay that is no number', () => {
    expect(() => new SimClock().after(Number.NaN, () => undefined)).toThrow(RangeError);
  });
});
