import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from './histogram.ts';
import { lastPulse, PulseMeter } from './pulse.ts';

/** Lets a loop that blocks in [fromMs, toMs) receive a pulse per ms, for 4 s; the window is [500, 3500). */
function meterOf(block: { fromMs: number; toMs: number }): PulseMeter {
  const meter = new PulseMeter();
  meter.setWindow(500, 3500);
  for (let sentMs = 0; sentMs < 4000; sentMs += 1) {
    const blocked = sentMs >= block.fromMs && sentMs < block.toMs;
    meter.record(sentMs, blocked ? block.toMs : sentMs);
  }
  return meter;
}

describe('pulses', () => {
  it('weight a block by its time: 1 s inside 3 s gives a p99 near 1 s (case H57)', () => {
    const summary = summarise(meterOf({ fromMs: 1000, toMs: 2000 }).window);
    // A third of the window lies in the block, so the highest 1 % of 3 s begin 30 ms below its length.
    expect(summary).toMatchObject({ count: 3000, p50: 0 });
    expect(summary.p99).toBeGreaterThanOrEqual(970_000);
    expect(summary.p99).toBeLessThanOrEqual(972_000);
    expect(summary.max).toBeGreaterThanOrEqual(1_000_000);
  });

  it('that waited past the end of the window are counted', () => {
    const { count, max } = summarise(meterOf({ fromMs: 3400, toMs: 3900 }).window);
    expect(count).toBe(3000);
    expect(max).toBeGreaterThanOrEqual(500_000);
  });

  it('sent before the window are not counted, even when they arrive in it', () => {
    const { max } = summarise(meterOf({ fromMs: 0, toMs: 501 }).window);
    expect(max).toBe(1000);
  });

  it('stand for all the beats since the one before, so that each ms of the window has its weight', () => {
    const gaps = fc.array(fc.double({ min: 0.001, max: 20, noNaN: true }), { maxLength: 100 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const meter = new PulseMeter();
        meter.setWindow(100, 200);
        let sentMs = 50;
        for (const gapMs of [0, ...gapsMs, 200]) {
          sentMs += gapMs;
          meter.record(sentMs, sentMs);
        }
        expect(meter.window.totalCount).toBe(100);
      }),
    );
  });

  it('that begin only in the window stand for its missing beginning', () => {
    const meter = new PulseMeter();
    meter.setWindow(100, 200);
    for (const sentMs of [160, 161, 200]) meter.record(sentMs, sentMs);
    expect(meter.window.totalCount).toBe(100);
  });

  it('say where they lie', () => {
    const meter = new PulseMeter();
    expect(meter.record(1, 1)).toBe('before');
    meter.setWindow(10, 20);
    expect([9, 10, 19, 20, lastPulse].map((sentMs) => meter.record(sentMs, sentMs))).toEqual([
      'before',
      'inside',
      'inside',
      'after',
      'after',
    ]);
  });

  it('from a thread whose clock is a microsecond ahead count as not having waited', () => {
    const meter = new PulseMeter();
    meter.setWindow(0, 10);
    meter.record(5.001, 5);
    expect(summarise(meter.window).max).toBe(0);
  });

  it('give a p99 since it was last asked', () => {
    const meter = new PulseMeter();
    expect(meter.takeIntervalP99Us()).toBeNull();
    meter.record(0, 0.5);
    expect(meter.takeIntervalP99Us()).toBe(500);
    expect(meter.takeIntervalP99Us()).toBeNull();
  });
});
