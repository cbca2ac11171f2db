import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RollingWindow } from './rolling-window.ts';

describe('RollingWindow', () => {
  it('B15: holds 1 after 4 failures, an hour of rest and 1 failure', () => {
    const window = new RollingWindow(5000);
    for (let failure = 0; failure < 4; failure += 1) window.add(failure, true);
    expect(window.failuresAt(4)).toBe(4);
    window.add(3_600_000, true);
    expect(window.failuresAt(3_600_000)).toBe(1);
    expect(window.callsAt(3_600_000)).toBe(1);
  });

  it('is empty after being cleared', () => {
    const window = new RollingWindow(1000);
    window.add(10, true);
    window.clear();
    expect([window.callsAt(10), window.failuresAt(10)]).toEqual([0, 0]);
  });

  it('counts what a list of all calls counts, in whole buckets', () => {
    const calls = fc.array(fc.record({ stepMs: fc.nat(300), isFailure: fc.boolean() }), { maxLength: 100 });
    fc.assert(
      fc.property(calls, fc.nat(100_000), (steps, startMs) => {
        const window = new RollingWindow(1000);
        const list: { bucket: number; isFailure: boolean }[] = [];
        let now = startMs;
        for (const { stepMs, isFailure } of steps) {
          now += stepMs;
          window.add(now, isFailure);
          list.push({ bucket: Math.floor(now / 100), isFailure });
          const recent = list.filter(({ bucket }) => bucket > Math.floor(now / 100) - 10);
          expect(window.callsAt(now)).toBe(recent.length);
          expect(window.failuresAt(now)).toBe(recent.filter((call) => call.isFailure).length);
        }
      }),
    );
  });
});
