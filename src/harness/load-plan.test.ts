import { describe, expect, it } from 'vitest';
import { createHistogram, decodeHistogram, encodeHistogram, recordUs } from './histogram.ts';
import { fateCode, fateOf, type LoadReport, mergeLoadReports, type OrderFate } from './load-plan.ts';
import { ClassRecorder } from './recorder.ts';

/** The report of a worker with one order for each fate, by index. */
function reportOf(fatesByIndex: Record<number, OrderFate>): LoadReport {
  const orders = new ClassRecorder();
  const lateness = createHistogram();
  const fates = new Uint8Array(Math.max(...Object.keys(fatesByIndex).map(Number)) + 1);
  for (const [index, fate] of Object.entries(fatesByIndex)) {
    orders.offered += 1;
    fates[Number(index)] = fateCode(fate);
    if (fate === 'skipped') {
      orders.skipped += 1;
    } else {
      orders.record(fate, 1000, 900);
      recordUs(lateness, 100);
    }
  }
  return {
    windowEndMs: 5000 + fates.length,
    classes: {
      orders: orders.report(),
      bystander: new ClassRecorder().report(),
      users: new ClassRecorder().report(),
    },
    lateness: encodeHistogram(lateness),
    fates,
    intendedMs: Float64Array.from(fates, (fate, index) => (fate === 0 ? 0 : 5000 + index)),
    steps: [],
    loops: [],
    realTime: true,
  };
}

describe('load reports', () => {
  const merged = mergeLoadReports([
    reportOf({ 0: 'confirmed', 2: 'skipped' }),
    reportOf({ 1: 'breaker-open', 3: 'in-flight', 5: 'confirmed' }),
  ]);

  it('merge counts and histograms', () => {
    expect(merged.classes.orders).toMatchObject({
      offered: 5,
      skipped: 1,
      confirmed: 2,
      failures: { 'breaker-open': 1 },
      inFlightAtEnd: 1,
    });
    expect(decodeHistogram(merged.lateness).totalCount).toBe(4);
    expect(merged.windowEndMs).toBe(5006);
  });

  it('know the fate of each order of the window', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((index) => fateOf(merged, index))).toEqual([
      'confirmed',
      'breaker-open',
      'skipped',
      'in-flight',
      undefined,
      'confirmed',
      undefined,
    ]);
  });
});
