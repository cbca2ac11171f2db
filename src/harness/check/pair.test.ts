import { describe, expect, test } from 'vitest';
import type { Trial } from '../result.ts';
import { sampleTrial } from '../trial.test.kit.ts';
import { invalidReasons } from '../validity.ts';
import { parseLimit } from './limit.ts';
import { disturbance, pairOf } from './pair.ts';

const undisturbed = {
  planned: 100,
  sent: 100,
  latenessP99Us: 100,
  canaryDelayP99Us: 100,
  generatorDelayP99Us: 100,
  confirmed: 90,
  deaths: 1,
  crashes: 0,
  ledgerError: null,
  ownFaults: [],
  lost: 0,
  isExternal: false,
  clamped: 0,
};

describe('disturbance', () => {
  const late = (ms: number) => {
    const { eventLoop } = sampleTrial(1, {});
    const canaryDelayUs = { ...eventLoop.canaryDelayUs, p99: ms * 1000 };
    return sampleTrial(1, { eventLoop: { ...eventLoop, canaryDelayUs } });
  };

  test('a trial that the host has disturbed does not count', () => {
    expect(disturbance(late(20), 'failing')).toMatch(/canary.*20 ms, above 10 ms: the host was disturbed/);
    expect(disturbance(late(9), 'failing')).toBeNull();
  });

  test('two trials at once may make each other later', () => {
    const discarded = (ms: number, isDuet: boolean) =>
      pairOf('healthy', { a: late(ms), b: late(1) }, { limits: [], isDuet }).discarded;
    expect(discarded(20, true)).toBeNull();
    expect(discarded(20, false)).toMatch(/above 10 ms/);
    expect(discarded(40, true)).toMatch(/above 30 ms/);
  });

  test('nor does one whose CPU was stolen, or which was interrupted', () => {
    expect(disturbance(sampleTrial(1, { stolenCpuShare: 0.08 }), 'failing')).toMatch(
      /^8 % of the CPU time was stolen/,
    );
    expect(disturbance(sampleTrial(1, { complete: false }), 'failing')).toMatch(/interrupted/);
  });

  test('what the code may have done counts, however invalid it makes the trial', () => {
    const reasons = invalidReasons({ ...undisturbed, confirmed: 0, sent: 10 });
    expect(reasons).toHaveLength(2);
    expect(disturbance(sampleTrial(1, { invalidReasons: reasons }), 'failing')).toBeNull();
  });

  test('where nobody knows what was stolen, nothing was', () => {
    expect(disturbance(sampleTrial(1, { stolenCpuShare: null }), 'failing')).toBeNull();
  });
});

test('a pair has the figures of its scenario and of the limits there', () => {
  const limits = [parseLimit('healthy:orders.confirmed>=1'), parseLimit('orders.confirmed>=1')];
  const pair = pairOf('healthy', { a: null, b: sampleTrial(1000) }, { limits, isDuet: false });
  expect(pair.a).toBeNull();
  expect(Object.keys(pair.b)).toEqual(['responseP50', 'responseP99', 'cpuPerRequest', 'stackCost']);
  expect(pair.limits).toEqual({ 'healthy:orders.confirmed>=1': 90 });
});

test('a pair is discarded for either side', () => {
  const stolen = sampleTrial(1, { stolenCpuShare: 0.5 });
  const discarded = (a: Trial, b: Trial) =>
    pairOf('healthy', { a, b }, { limits: [], isDuet: true }).discarded;
  expect(discarded(stolen, sampleTrial(1))).toMatch(/^A: .*stolen/);
  expect(discarded(sampleTrial(1), stolen)).toMatch(/^B: .*stolen/);
  expect(discarded(sampleTrial(1), sampleTrial(1))).toBeNull();
});
