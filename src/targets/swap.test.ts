import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSwap } from './swap.ts';

const mib = 1024 * 1024;

/** For how long retaining `bytes` blocks when that leaves `residentBytes` resident; limit 100 MB, 2 MB/s. */
function blockedMs(bytes: number, residentBytes: number): number {
  let total = 0;
  const swap = createSwap({
    limitBytes: 100 * mib,
    bytesPerS: 2 * mib,
    residentBytes: () => residentBytes,
    blockMs: (ms) => {
      total += ms;
    },
  });
  swap.pageOut(bytes);
  return total;
}

test('up to the limit memory costs nothing', () => {
  expect(blockedMs(mib, 100 * mib)).toBe(0);
});

test('above the limit each request blocks for its bytes over the swap rate, however much is in swap already', () => {
  expect(blockedMs(mib, 101 * mib)).toBe(500);
  expect(blockedMs(mib, 150 * mib)).toBe(500);
});

test('the request that crosses the limit pays for what lies above it', () => {
  expect(blockedMs(4 * mib, 101 * mib)).toBe(500);
});

test('a service that climbs from below pays, in all, for exactly what lies above the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * mib })), (portions) => {
      let resident = 90 * mib;
      let paidMs = 0;
      for (const bytes of portions) {
        resident += bytes;
        paidMs += blockedMs(bytes, resident);
      }
      const aboveBytes = Math.max(0, resident - 100 * mib);
      expect(paidMs).toBeCloseTo((aboveBytes / (2 * mib)) * 1000, 3);
    }),
  );
});
