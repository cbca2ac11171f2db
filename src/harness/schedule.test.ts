import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planArrivals, type SchedulePlan, workerOf } from './schedule.ts';

const plans: fc.Arbitrary<SchedulePlan> = fc.record({
  ratePerS: fc.integer({ min: 1, max: 5000 }),
  arrivals: fc.constantFrom('constant' as const, 'poisson' as const),
  durationMs: fc.integer({ min: 1, max: 3000 }),
  seed: fc.nat(),
});

describe('a schedule', () => {
  it('ascends from 0 and ends before the duration', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const times = [...planArrivals(plan)];
        expect(times.every((time) => time >= 0 && time < plan.durationMs)).toBe(true);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });

  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(planArrivals(plan)).toEqual(planArrivals(plan));
      }),
    );
  });

  it('lies in memory that threads share', () => {
    const times = planArrivals({ ratePerS: 10, arrivals: 'constant', durationMs: 1000, seed: 1 });
    expect(times.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('is evenly spaced when constant, whatever the seed', () => {
    for (const seed of [1, 2]) {
      const times = planArrivals({ ratePerS: 400, arrivals: 'constant', durationMs: 20_000, seed });
      expect(times).toHaveLength(8000);
      expect([times[0], times[1], times[7999]]).toEqual([0, 2.5, 19_997.5]);
    }
  });

  it('has exponential gaps when Poisson: mean and standard deviation are both 1 / rate', () => {
    const times = planArrivals({ ratePerS: 1000, arrivals: 'poisson', durationMs: 100_000, seed: 7 });
    const gaps = [...times].map((time, index) => time - (times[index - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    // 100,000 gaps: four standard errors of the mean are 1.3 %.
    expect(mean).toBeGreaterThan(0.987);
    expect(mean).toBeLessThan(1.013);
    expect(Math.sqrt(variance)).toBeGreaterThan(0.97);
    expect(Math.sqrt(variance)).toBeLessThan(1.03);
  });

  it('differs between seeds when Poisson', () => {
    const plan = { ratePerS: 100, arrivals: 'poisson', durationMs: 1000 } as const;
    expect(planArrivals({ ...plan, seed: 1 })).not.toEqual(planArrivals({ ...plan, seed: 2 }));
  });
});

it('requests are dealt to the workers in turn', () => {
  expect([0, 1, 2, 3, 4, 5].map((index) => workerOf(index, 3))).toEqual([0, 1, 2, 0, 1, 2]);
});
