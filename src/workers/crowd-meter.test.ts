import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CrowdMeter } from './crowd-meter.ts';

function meanSize(...atMs: number[]): number {
  const crowd = new CrowdMeter(5);
  for (const moment of atMs) crowd.add(moment);
  return crowd.meanSize();
}

test('nothing is no crowd, and one is a crowd of one', () => {
  expect(meanSize()).toBe(0);
  expect(meanSize(7)).toBe(1);
  expect(meanSize(7, 17, 27)).toBe(1);
});

test('what is close together is a crowd, in whatever order it is told', () => {
  // 30, 35 and 40 see two, three and two; 12 is alone.
  expect(meanSize(30, 12, 40, 35)).toBe((2 + 3 + 2 + 1) / 4);
});

test('is what counting each with each gives', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1 }), (moments) => {
      const close = (at: number) => moments.filter((other) => Math.abs(other - at) <= 5).length;
      const sum = moments.reduce((total, at) => total + close(at), 0);
      expect(meanSize(...moments)).toBeCloseTo(sum / moments.length, 9);
    }),
  );
});
