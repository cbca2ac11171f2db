import { expect, test } from 'vitest';
import { restartDelayMs } from './restart-delay.ts';
import { dockerRestart } from './target-plan.ts';

/** The delays of a service whose runs last as given. */
function delays(ranMs: number[]): number[] {
  let previous = 0;
  return ranMs.map((ran) => (previous = restartDelayMs(dockerRestart, previous, ran)));
}

test('a constant delay is the same whatever happened before', () => {
  const policy = { kind: 'constant', delayMs: 700 } as const;
  expect([restartDelayMs(policy, 0, 5), restartDelayMs(policy, 700, 99_999)]).toEqual([700, 700]);
});

test('the doubling delay goes from 100 ms to a minute and stays there', () => {
  expect(delays(Array.from({ length: 12 }, () => 50))).toEqual([
    100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000,
  ]);
});

test('a run of 10 s resets the doubling delay, a shorter one does not', () => {
  expect(delays([50, 50, 9_999, 10_000, 50])).toEqual([100, 200, 400, 100, 200]);
});
