import { expect, test } from 'vitest';
import { parseStacks } from '../patterns/stack-plan.ts';
import { stackCostNs } from './stack-cost.ts';

test('a layer that burns a tenth of a millisecond costs that and more', async () => {
  const [plan = expect.fail('no stack')] = parseStacks('burn+retry+breaker', ['burn.forMs=0.1']);
  expect(await stackCostNs(plan)).toBeGreaterThanOrEqual(100_000);
});

test.each(['baseline', 'retry+breaker+bulkhead', 'retry-budget+breaker-count', 'retry-blind'])(
  '%s costs a whole number of ns',
  async (name) => {
    const [plan = expect.fail('no stack')] = parseStacks(name, []);
    const ns = await stackCostNs(plan);
    expect(Number.isInteger(ns) && ns >= 0).toBe(true);
  },
);
