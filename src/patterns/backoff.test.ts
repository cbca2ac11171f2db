import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, type Jitter, jitters } from './backoff.ts';
import { seededRandom } from './random.ts';

/** 10,000 delays before the same retry. */
function draws(jitter: Jitter, retry: number, seed = 1): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 10_000 }, () =>
    backoffMs({ baseMs: 100, capMs: 2000, jitter }, retry, 0, random),
  );
}

function range(values: readonly number[]): { min: number; max: number; mean: number } {
  return {
    min: Math.min(...values),
    max: Math.max(...values),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}

describe('backoffMs', () => {
  it('R27: full jitter fills [0, step), with a step that doubles up to the cap', () => {
    for (const [retry, stepMs] of [
      [1, 100],
      [2, 200],
      [3, 400],
      [5, 1600],
      [6, 2000],
      [50, 2000],
    ] as const) {
      const { min, max, mean } = range(draws('full', retry));
      expect(min).toBeGreaterThanOrEqual(0);
      expect(min).toBeLessThan(stepMs * 0.01);
      expect(max).toBeGreaterThan(stepMs * 0.99);
      expect(max).toBeLessThan(stepMs);
      expect(mean / stepMs).toBeCloseTo(0.5, 1);
    }
  });

  it('R27: equal jitter fills [step / 2, step)', () => {
    for (const [retry, stepMs] of [
      [1, 100],
      [3, 400],
      [50, 2000],
    ] as const) {
      const { min, max } = range(draws('equal', retry));
      expect(min).toBeGreaterThanOrEqual(stepMs / 2);
      expect(min).toBeLessThan(stepMs * 0.51);
      expect(max).toBeGreaterThan(stepMs * 0.99);
      expect(max).toBeLessThan(stepMs);
    }
  });

  it('R27: two callers differ', () => {
    const random = seededRandom(1);
    const backoff = { baseMs: 100, capMs: 2000, jitter: 'full' } as const;
    expect(backoffMs(backoff, 1, 0, random)).not.toBe(backoffMs(backoff, 1, 0, random));
  });

  it('adds up to half to the step with proportional jitter, the cap included', () => {
    const { min, max } = range(draws('proportional', 50));
    expect(min).toBeGreaterThanOrEqual(2000);
    expect(max).toBeGreaterThan(2990);
    expect(max).toBeLessThan(3000);
  });

  it('grows from the delay before, not from the count, with decorrelated jitter', () => {
    const backoff = { baseMs: 100, capMs: 2000, jitter: 'decorrelated' } as const;
    expect(backoffMs(backoff, 1, 0, () => 0)).toBe(100);
    expect(backoffMs(backoff, 1, 0, () => 0.5)).toBe(200);
    expect(backoffMs(backoff, 2, 300, () => 0.5)).toBe(500);
    expect(backoffMs(backoff, 7, 300, () => 0.5)).toBe(500);
    expect(backoffMs(backoff, 2, 1900, () => 0.999)).toBe(2000);
  });

  it('is the step itself without jitter, and draws nothing', () => {
    const none = { baseMs: 100, capMs: 2000, jitter: 'none' } as const;
    const random = (): number => {
      throw new Error('drawn');
    };
    expect([1, 2, 3, 4, 5, 6].map((retry) => backoffMs(none, retry, 0, random))).toEqual([
      100, 200, 400, 800, 1600, 2000,
    ]);
  });

  it('stays finite and within 1.5 times the cap for any options and any number of retries', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...jitters),
        fc.nat(100_000),
        fc.nat(100_000),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (jitter, baseMs, capMs, retry, previousMs, drawn) => {
          const delayMs = backoffMs({ baseMs, capMs, jitter }, retry, previousMs, () => drawn);
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(capMs * 1.5);
        },
      ),
    );
  });
});
