import { describe, expect, test } from 'vitest';
import { cpuTicks, stolenShare, threadCpuMs } from './cpu-accounts.ts';

const onLinux = process.platform === 'linux';

describe('threadCpuMs', () => {
  test('counts what this thread computes', () => {
    const before = threadCpuMs();
    const until = performance.now() + 5;
    while (performance.now() < until);
    const after = threadCpuMs();
    if (onLinux) expect(Number(after)).toBeGreaterThan(Number(before));
    else expect([before, after]).toEqual([null, null]);
  });
});

describe('cpuTicks', () => {
  test('knows all ticks and the stolen ones among them', () => {
    const ticks = cpuTicks();
    if (onLinux) expect(ticks?.stolen).toBeLessThan(Number(ticks?.total));
    else expect(ticks).toBeNull();
  });
});

describe('stolenShare', () => {
  test('is the share of the ticks between two readings', () => {
    expect(stolenShare({ total: 1000, stolen: 10 }, { total: 1200, stolen: 30 })).toBe(0.1);
  });

  test('is unknown without two readings, and without time between them', () => {
    const ticks = { total: 1000, stolen: 10 };
    expect(stolenShare(null, ticks)).toBeNull();
    expect(stolenShare(ticks, null)).toBeNull();
    expect(stolenShare(ticks, ticks)).toBeNull();
  });
});
