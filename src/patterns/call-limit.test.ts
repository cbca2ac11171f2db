import { expect, test } from 'vitest';
import { callLimitMs } from './call-limit.ts';
import { parseStacks } from './stack-plan.ts';

test.each([
  ['baseline', [], 3000],
  ['breaker', ['timeout.limitMs=500'], 500],
  // Four attempts, and backoffs of 100, 200 and 400 ms.
  ['retry', [], 12_700],
  ['retry', ['retry.jitter=proportional'], 13_050],
  ['retry', ['retry.jitter=decorrelated', 'retry.capMs=500'], 13_300],
  ['retry+breaker', ['retry.retriesMax=0'], 3000],
  // A bulkhead without a queue rejects at once; with one, each attempt may wait in it.
  ['bulkhead', [], 3000],
  ['retry+bulkhead', ['bulkhead.queueMax=5', 'retry.retriesMax=1', 'retry.baseMs=10'], 7010],
  ['bulkhead+retry', ['bulkhead.queueMax=5', 'retry.retriesMax=1', 'retry.baseMs=10'], 6510],
])('a call through %s with %j takes at most %d ms', (stack, settings, limitMs) => {
  const [plan] = parseStacks(stack, settings);
  expect(plan && callLimitMs(plan)).toBe(limitMs);
});
