import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../patterns/random.ts';
import { sampleResult } from '../trial.test.kit.ts';
import type { Recording } from './recording.ts';
import type { TimedPair } from './sampling.ts';
import { testVariant } from './self-test.ts';

const random = seededRandom(3);
/** Between 0.98 and 1.02. */
const noise = () => 0.98 + 0.04 * random();

function pair(slower: number, discarded: string | null = null): TimedPair {
  const figures = (factor: number) => ({
    responseP50: factor * noise(),
    responseP99: 4 * factor * noise(),
    cpuPerRequest: 300 * factor * noise(),
  });
  return {
    pair: { scenario: 'healthy', discarded, a: figures(1), b: figures(slower), limits: {} },
    tookMs: 20_000,
  };
}

function recording(rounds: Recording['rounds']): Recording {
  return {
    schema: 2,
    kind: 'self-test-recording',
    startedAt: '2026-01-02T03:04:05.000Z',
    host: sampleResult({}).host,
    pattern: 'retry+breaker',
    scenarios: { healthy: '--target healthy', leaking: '--target leaky' },
    variants: {
      same: { healthy: '' },
      slower10: { healthy: '' },
      slower5: { healthy: '' },
      noBreaker: { failing: '' },
      noJitter: { failing: '' },
      retriesAll: { failing: '' },
      leakier: { leaking: '' },
    },
    rounds,
  };
}

const plan = { checks: 300, alpha: 0.05, budgetMs: 240_000, random };

describe('testVariant', () => {
  const recorded = recording(
    Array.from({ length: 30 }, (_, index) => ({
      round: index + 1,
      variants: { same: [pair(1)], slower10: [pair(1.2)] },
    })),
  );

  test('does not call identical code worse', () => {
    const report = testVariant(recorded, 'same', plan);
    expect(report?.worse.rate).toBeLessThan(0.02);
    expect(report?.effects.map(({ key }) => key)).toEqual(['responseP50', 'responseP99', 'cpuPerRequest']);
  });

  test('finds a slowdown, and says how large it was', () => {
    const report = testVariant(recorded, 'slower10', plan);
    expect(report?.worse.rate).toBeGreaterThan(0.95);
    expect(report?.effects[0]?.value).toBeCloseTo(1.2, 1);
  });

  test('has nothing to say about a variant that was not recorded, or was disturbed throughout', () => {
    expect(testVariant(recorded, 'leakier', plan)).toBeNull();
    const disturbed = recording(
      Array.from({ length: 5 }, (_, index) => ({
        round: index + 1,
        variants: { same: [pair(1, 'disturbed')] },
      })),
    );
    expect(testVariant(disturbed, 'same', plan)).toBeNull();
  });
});
