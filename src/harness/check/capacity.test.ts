import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextRatePerS, searchCapacity } from './capacity.ts';

/** A gateway that keeps up so many requests per second, and what was tried on it. */
function gateway(capacityPerS: number) {
  const tried: number[] = [];
  const tryRate = (ratePerS: number) => {
    tried.push(ratePerS);
    return Promise.resolve({ kept: ratePerS <= capacityPerS, ratePerS });
  };
  return { tried, tryRate };
}

test('finds the capacity to within a tenth from below, with few trials', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 60, max: 49_000 }), async (capacityPerS) => {
      const { tried, tryRate } = gateway(capacityPerS);
      const best = await searchCapacity(tryRate);
      expect(best?.ratePerS).toBeLessThanOrEqual(capacityPerS);
      expect(best?.ratePerS).toBeGreaterThan(capacityPerS / 1.11);
      expect(tried.length).toBeLessThanOrEqual(11);
      expect(new Set(tried).size).toBe(tried.length);
    }),
  );
});

test('doubles until it is lost, and halves what is lost between', async () => {
  const { tried, tryRate } = gateway(3000);
  await searchCapacity(tryRate);
  expect(tried).toEqual([800, 1600, 3200, 2263, 2691, 2934]);
});

test('one that keeps nothing up has the least that is offered, and one that keeps all up the most', async () => {
  expect(await searchCapacity(gateway(10).tryRate)).toEqual({ kept: false, ratePerS: 50 });
  expect((await searchCapacity(gateway(1e9).tryRate))?.ratePerS).toBe(50_000);
});

test('an interrupted search has no answer', async () => {
  expect(await searchCapacity(() => Promise.resolve(null))).toBeNull();
});

test('a bracket that is close enough needs no further trial', () => {
  expect(nextRatePerS({ keptPerS: 1000, lostPerS: 1100 })).toBeNull();
  expect(nextRatePerS({ keptPerS: 1000, lostPerS: 1300 })).toBe(1140);
});
