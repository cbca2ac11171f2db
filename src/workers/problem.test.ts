import { expect, it } from 'vitest';
import { failureKinds } from '../patterns/outcome.ts';
import { problemOfFailure } from './problem.ts';

it.each([
  ['breaker-open', 503],
  ['bulkhead-full', 503],
  ['timeout', 504],
  ['refused', 502],
  ['reset', 502],
  ['http-5xx', 502],
  ['rate-limited', 429],
] as const)('answers %s with %i', (failure, status) => {
  expect(problemOfFailure(failure)).toMatchObject({ status, failure });
});

it('has an answer for every kind of failure', () => {
  for (const failure of failureKinds) expect(problemOfFailure(failure).status).toBeGreaterThanOrEqual(400);
});
