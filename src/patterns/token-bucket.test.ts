import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

/** How many of `tries` at the same moment are granted. */
function granted(bucket: TokenBucket, now: number, tries = 1000): number {
  return Array.from({ length: tries }, () => bucket.take(now)).filter(Boolean).length;
}

describe('TokenBucket', () => {
  it('starts with one second of its floor and refills at that rate, fractions included', () => {
    const bucket = new TokenBucket(10, 100);
    expect(granted(bucket, 0)).toBe(10);
    expect(granted(bucket, 50)).toBe(0);
    expect(granted(bucket, 125)).toBe(1);
    expect(granted(bucket, 1125)).toBe(10);
  });

  it('grants a share of what was deposited', () => {
    const bucket = new TokenBucket(0, 100);
    for (let call = 0; call < 80; call += 1) bucket.deposit(0.25);
    expect(granted(bucket, 0)).toBe(20);
  });

  it('saves no more than it holds, however long it rests', () => {
    const bucket = new TokenBucket(10, 100);
    granted(bucket, 0);
    expect(granted(bucket, 3_600_000)).toBe(100);
  });

  it('never grants more than it started with, was given and refilled', () => {
    const step = fc.record({ waitMs: fc.nat(500), deposits: fc.nat(20), takes: fc.nat(20) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 50 }),
        fc.nat(50),
        fc.integer({ min: 1, max: 50 }),
        (steps, perSecond, capacity) => {
          const bucket = new TokenBucket(perSecond, capacity);
          let now = 0;
          let deposited = 0;
          let taken = 0;
          for (const { waitMs, deposits, takes } of steps) {
            now += waitMs;
            for (let one = 0; one < deposits; one += 1) bucket.deposit(0.25);
            deposited += deposits * 0.25;
            const got = granted(bucket, now, takes);
            expect(got).toBeLessThanOrEqual(capacity);
            taken += got;
            expect(taken).toBeLessThanOrEqual(
              Math.min(capacity, perSecond) + deposited + (now / 1000) * perSecond + 1e-9,
            );
          }
        },
      ),
    );
  });
});
