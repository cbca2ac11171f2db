import { describe, expect, test } from 'vitest';
import type { Trial } from '../result.ts';
import { sampleTrial } from '../trial.test.kit.ts';
import { figuresOf } from './check-metrics.ts';

/** A trial of 10 s whose service dies at 4 s and is back at 6 s, and whose breaker did this. */
function trialOf(breaker: Partial<NonNullable<Trial['breaker']>> | null) {
  const { target } = sampleTrial(1);
  const exit = { code: 137, signal: 'SIGKILL', reason: 'killed', rssBytes: null, uptimeMs: 1 } as const;
  return sampleTrial(1, {
    target: {
      ...target,
      starts: [
        { atMs: -100, spawnedAtMs: -200 },
        { atMs: 6000, spawnedAtMs: 5500 },
      ],
      exits: [{ ...exit, atMs: 4000 }],
    },
    breaker: breaker && {
      transitions: [],
      openMs: 0,
      timeToOpenMs: [],
      timeToRecoverMs: [],
      timeToCloseMs: [],
      ...breaker,
    },
  });
}

const times = (trial: Trial) => {
  const { timeToOpen, timeToRecover } = figuresOf(trial, 'failing');
  return [timeToOpen, timeToRecover];
};

describe('the times of a breaker', () => {
  test('are the means of what was measured', () => {
    expect(times(trialOf({ timeToOpenMs: [100, 50], timeToRecoverMs: [20] }))).toEqual([75, 20]);
  });

  test('are at least as long as the outage, or the rest of the window, where it slept', () => {
    expect(times(trialOf({}))).toEqual([2000, null]);
    const stillOpen = {
      transitions: [{ atMs: 4100, from: 'closed', to: 'open' } as const],
      timeToOpenMs: [100],
    };
    expect(times(trialOf(stillOpen))).toEqual([100, 4000]);
  });

  test('are none without a breaker', () => {
    expect(times(trialOf(null))).toEqual([null, null]);
  });
});
