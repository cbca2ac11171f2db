import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trialOrder } from './trial-order.ts';

describe('trialOrder', () => {
  it('interleaves two stacks as ABBA BAAB', () => {
    expect(trialOrder(2, 4)).toEqual([0, 1, 1, 0, 1, 0, 0, 1]);
  });

  it('gives every stack each place equally often over a full cycle', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), (stacks) => {
        const rounds = 2 * stacks;
        const order = trialOrder(stacks, rounds);
        for (let place = 0; place < stacks; place++) {
          const there = Array.from({ length: rounds }, (_, round) => order[round * stacks + place]);
          for (let stack = 0; stack < stacks; stack++) {
            expect(there.filter((index) => index === stack)).toHaveLength(2);
          }
        }
      }),
    );
  });
});
