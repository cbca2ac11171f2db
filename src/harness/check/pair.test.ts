import { describe, expect, test } from 'vitest';
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
    expect(disturbance(late(20), 'healthy')).toBeNull();
    expect(disturbance(late(40), 'healthy')).toMatch(/above 30 ms/);
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
  const pair = pairOf('healthy', null, sampleTrial(1000), limits);
  expect(pair.a).toBeNull();
  expect(Object.keys(pair.b)).toEqual(['responseP50', 'responseP99', 'cpuPerRequest', 'stackCost']);
  expect(pair.limits).toEqual({ 'healthy:orders.confirmed>=1': 90 });
});

test('a pair is discarded for either side', () => {
  const stolen = sampleTrial(1, { stolenCpuShare: 0.5 });
  expect(pairOf('healthy', stolen, sampleTrial(1), []).discarded).toMatch(/stolen/);
  expect(pairOf('healthy', sampleTrial(1), stolen, []).discarded).toMatch(/stolen/);
  expect(pairOf('healthy', sampleTrial(1), sampleTrial(1), []).discarded).toBeNull();
});
