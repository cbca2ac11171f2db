import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

describe('SlidingWindow', () => {
  it('counts a call for exactly its window', () => {
    const window = new SlidingWindow(100);
    window.count(5);
    window.add(5);
    expect([window.count(104.9), window.count(105)]).toEqual([1, 0]);
  });

  it('knows the oldest call that still counts', () => {
    const window = new SlidingWindow(100);
    for (const now of [0, 60, 120]) {
      window.count(now);
      window.add(now);
    }
    expect([window.count(130), window.oldestMs]).toEqual([2, 60]);
  });

  it('forgets what lies ahead of a clock that was set back, rather than counting it for hours', () => {
    const window = new SlidingWindow(100);
    window.add(3_600_000);
    expect(window.count(10)).toBe(0);
  });

  it('counts as a list of all calls would', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { maxLength: 300 }),
        fc.integer({ min: 1, max: 200 }),
        (steps, windowMs) => {
          const window = new SlidingWindow(windowMs);
          const all: number[] = [];
          let now = 0;
          for (const step of steps) {
            now += step;
            expect(window.count(now)).toBe(all.filter((time) => time > now - windowMs).length);
            window.add(now);
            all.push(now);
          }
        },
      ),
    );
  });
});
