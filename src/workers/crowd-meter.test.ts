import { expect, test } from 'vitest';
import { CrowdMeter } from './crowd-meter.ts';

function meanSize(...atMs: number[]): number {
  const crowd = new CrowdMeter(10);
  for (const moment of atMs) crowd.add(moment);
  return crowd.meanSize;
}

test('nothing is no crowd, and one is a crowd of one', () => {
  expect(meanSize()).toBe(0);
  expect(meanSize(7)).toBe(1);
  expect(meanSize(7, 17, 27)).toBe(1);
});

test('what happens in the same step is a crowd, in whatever order it is told', () => {
  // Three of them are a crowd of three, the two others alone.
  expect(meanSize(30, 12, 39.9, 40, 35)).toBe((3 * 3 + 1 + 1) / 5);
});
