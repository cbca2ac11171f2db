import { describe, expect, test } from 'vitest';
import { studentTail } from './student-t.ts';

describe('studentTail', () => {
  // Tables of Student's distribution, as in the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
  test.each([
    [1, 6.314, 0.05],
    [2, 4.303, 0.025],
    [4, 2.776, 0.025],
    [7, 4.785, 0.001],
    [10, 1.372, 0.1],
    [30, 3.385, 0.001],
    [100, 2.626, 0.005],
  ])('with %i degrees of freedom %f leaves %f above', (freedom, t, share) => {
    expect(studentTail(t, freedom)).toBeCloseTo(share, 4);
  });

  test('is exact for one degree of freedom, which is the Cauchy distribution', () => {
    for (const t of [-20, -1, 0, 0.3, 2, 50, 1000]) {
      expect(studentTail(t, 1)).toBeCloseTo(0.5 - Math.atan(t) / Math.PI, 9);
    }
  });

  test('goes from 1 to 0', () => {
    expect([studentTail(-Infinity, 3), studentTail(0, 3), studentTail(Infinity, 3)]).toEqual([1, 0.5, 0]);
  });
});
