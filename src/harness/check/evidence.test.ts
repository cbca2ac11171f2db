import { describe, expect, test } from 'vitest';
import { claimsOf, effectAsHarm, harmOf } from './evidence.ts';

describe('harmOf', () => {
  const time = { scale: 'ratio', better: 'lower', floor: 1 } as const;
  const rate = { scale: 'ratio', better: 'higher', floor: 1 } as const;
  const share = { scale: 'difference', better: 'lower', floor: 0 } as const;

  test('is above 0 where B is worse, whichever direction is better', () => {
    expect(harmOf(10, 20, time)).toBeCloseTo(Math.log(2));
    expect(harmOf(10, 20, rate)).toBeCloseTo(-Math.log(2));
    expect(harmOf(0.1, 0.3, share)).toBeCloseTo(0.2);
  });

  test('takes nothing for the floor, so that there is a factor', () => {
    expect(harmOf(100, 0, rate)).toBeCloseTo(Math.log(100));
  });
});

test('an effect of 3 % is a factor of 1.03, or 0.03 of the unit', () => {
  expect(effectAsHarm(0.03, 'ratio')).toBeCloseTo(Math.log(1.03));
  expect(effectAsHarm(0.03, 'difference')).toBe(0.03);
});

describe('claimsOf', () => {
  test('supports nothing with two rounds, however clear they are', () => {
    expect(claimsOf([5, 5], 0.1)).toEqual({ worse: 1, better: 1, same: 1 });
  });

  test('supports worse where all rounds are far beyond the smallest effect', () => {
    const claims = claimsOf([0.5, 0.52, 0.48, 0.51], 0.03);
    expect(claims.worse).toBeLessThan(1e-4);
    expect(claims.better).toBeGreaterThan(0.99);
    expect(claims.same).toBeGreaterThan(0.99);
  });

  test('supports the same only where the whole uncertainty lies within the smallest effect', () => {
    expect(claimsOf([0.001, -0.002, 0.002, 0], 0.03).same).toBeLessThan(1e-3);
    expect(claimsOf([0.1, -0.2, 0.2, 0], 0.03).same).toBeGreaterThan(0.3);
  });

  test('is the one-sample t test: 4 rounds, mean 2, standard error 0.5', () => {
    // The spread of ±s around the mean with s² = 0.75: squares of 3, over 3, over 4.
    const s = Math.sqrt(0.75);
    // t = (2 - 0.4085) / 0.5 = 3.183, of which 0.025 lies above with 3 degrees of freedom.
    expect(claimsOf([2 + s, 2 - s, 2 + s, 2 - s], 0.4085).worse).toBeCloseTo(0.025, 3);
  });

  test('rounds that agree exactly leave nothing to chance', () => {
    expect(claimsOf([0, 0, 0], 0.01)).toEqual({ worse: 1, better: 1, same: 0 });
    expect(claimsOf([1, 1, 1], 0.01)).toEqual({ worse: 0, better: 1, same: 1 });
  });
});
