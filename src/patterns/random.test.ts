import { describe, expect, it } from 'vitest';
import { deriveSeed, seededRandom } from './random.ts';

/** The first `count` numbers of a seed. */
function draw(seed: number, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
}

describe('seededRandom', () => {
  it('gives the same sequence for the same seed', () => {
    expect(draw(7, 1000)).toEqual(draw(7, 1000));
  });

  it('gives the numbers that another implementation of sfc32 and splitmix32 gives', () => {
    expect(draw(1, 5).map((value) => value * 2 ** 32)).toEqual([
      792534090, 3215351813, 160231488, 1151041103, 1990438114,
    ]);
  });

  it('gives neighbouring seeds sequences that have nothing in common', () => {
    const first = new Set(draw(1, 1000));
    expect(draw(2, 1000).filter((value) => first.has(value))).toEqual([]);
  });

  it('stays in [0, 1)', () => {
    expect(draw(3, 100_000).filter((value) => !(value >= 0 && value < 1))).toEqual([]);
  });

  it('fills 100 equal cells evenly: chi-squared within its 99.9 % range', () => {
    const cells = new Array<number>(100).fill(0);
    for (const value of draw(42, 100_000)) {
      const cell = Math.floor(value * 100);
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    const chiSquared = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    // 99 degrees of freedom: 0.1 % lie below 56.2, 0.1 % above 148.2.
    expect(chiSquared).toBeGreaterThan(56.2);
    expect(chiSquared).toBeLessThan(148.2);
  });

  it('does not correlate one number with the next', () => {
    const values = draw(5, 100_000);
    let product = 0;
    for (let index = 1; index < values.length; index += 1) {
      product += ((values[index - 1] ?? 0) - 0.5) * ((values[index] ?? 0) - 0.5);
    }
    const correlation = product / (values.length - 1) / (1 / 12);
    expect(Math.abs(correlation)).toBeLessThan(0.015);
  });
});

describe('deriveSeed', () => {
  it('gives every label a seed of its own', () => {
    const labels = Array.from({ length: 1000 }, (_, index) => `stream ${index}`);
    expect(new Set(labels.map((label) => deriveSeed(1, label))).size).toBe(1000);
  });

  it('gives every seed its own seeds for the same label', () => {
    const seeds = Array.from({ length: 1000 }, (_, index) => deriveSeed(index, 'arrivals'));
    expect(new Set(seeds).size).toBe(1000);
  });

  it('is the same every time, an unsigned 32-bit integer', () => {
    const seed = deriveSeed(123, 'jitter');
    expect(deriveSeed(123, 'jitter')).toBe(seed);
    expect(seed).toBe(seed >>> 0);
  });
});
