import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOut, nextTurnMs, onceOut } from './outage.ts';

test('an outage that ends is there from its first moment to before its last', () => {
  const outage = onceOut(100, 50);
  expect([-1, 99, 100, 149, 150, 1e9].map((atMs) => isOut(outage, atMs))).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('one without an end stays', () => {
  expect(isOut(onceOut(0, 'off'), 1e12)).toBe(true);
  expect(nextTurnMs(onceOut(0, 'off'), 5)).toBe(Infinity);
});

test('whatever the outage, nothing turns before the next turn, and there it turns', () => {
  const outages = fc.oneof(
    fc.record({
      firstMs: fc.nat(50),
      lengthMs: fc.integer({ min: 1, max: 50 }),
      everyMs: fc.constant(Infinity),
    }),
    fc
      .record({
        firstMs: fc.nat(50),
        lengthMs: fc.integer({ min: 1, max: 50 }),
        upMs: fc.integer({ min: 1, max: 50 }),
      })
      .map(({ firstMs, lengthMs, upMs }) => ({ firstMs, lengthMs, everyMs: lengthMs + upMs })),
  );
  fc.assert(
    fc.property(outages, fc.integer({ min: -20, max: 500 }), (outage, atMs) => {
      const turnMs = nextTurnMs(outage, atMs);
      expect(turnMs).toBeGreaterThan(atMs);
      const now = isOut(outage, atMs);
      for (let ms = atMs; ms < Math.min(turnMs, atMs + 200); ms++) expect(isOut(outage, ms)).toBe(now);
      if (turnMs < Infinity) expect(isOut(outage, turnMs)).toBe(!now);
    }),
  );
});
