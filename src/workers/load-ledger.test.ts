import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHistogram, summarise } from '../harness/histogram.ts';
import { fateOf, type LoadReport, type TrialTimes } from '../harness/load-plan.ts';
import { endings, failedCount, responseHistogram } from '../harness/recorder.ts';
import { requestClassOf } from '../harness/request-class.ts';
import { LoadLedger } from './load-ledger.ts';

const times: TrialTimes = { startMs: 1000, windowStartMs: 2000, windowEndMs: 3000, deadlineMs: 4000 };

function ledgerOf(indices = 0) {
  return new LoadLedger(times, indices, () => undefined);
}

describe('the load ledger', () => {
  it('counts response from the intended, service from the actual moment', () => {
    const ledger = ledgerOf();
    const request = ledger.sent(0, 2000, 2100);
    ledger.ended(request, 'confirmed', 2150);
    const report = ledger.report();
    expect(summarise(responseHistogram(report.classes.orders)).max).toBe(150_015);
    expect(summarise(decodeHistogram(report.classes.orders.service)).max).toBe(50_015);
    expect(summarise(decodeHistogram(report.lateness)).max).toBe(100_031);
  });

  it('measures the requests whose intended moment lies in the window, whenever they are sent', () => {
    const ledger = ledgerOf();
    const intended = [1999.9, 2000, 2999.9, 3000];
    const measured = intended.map((intendedMs, index) => {
      const request = ledger.sent(index, intendedMs, 3000);
      ledger.ended(request, 'confirmed', 3001);
      return request.measured;
    });
    expect(measured).toEqual([false, true, true, false]);
    expect(ledger.report().classes.orders).toMatchObject({ offered: 2, confirmed: 2 });
  });

  it('records what is in flight at the end with the time that it has waited', () => {
    const ledger = ledgerOf();
    ledger.sent(0, 2500, 2501);
    ledger.abandon(4000);
    const { orders } = ledger.report().classes;
    expect(orders).toMatchObject({ offered: 1, inFlightAtEnd: 1 });
    expect(summarise(responseHistogram(orders, ['in-flight'])).max).toBe(1_500_159);
  });

  it('measures nothing beyond a window that was cut', () => {
    const ledger = ledgerOf();
    ledger.skipped(0, 2400, 2500);
    ledger.cutWindow(2500);
    ledger.skipped(1, 2500, 2501);
    expect(ledger.report()).toMatchObject({
      windowEndMs: 2500,
      classes: { orders: { offered: 1, skipped: 1 } },
    });
  });

  it('has an empty window when it is cut in the warm-up', () => {
    const ledger = ledgerOf();
    ledger.cutWindow(1500);
    expect(ledger.report()).toMatchObject({ windowEndMs: 2000, classes: { orders: { offered: 0 } } });
  });

  it('accounts for every request of the window, whatever becomes of it', () => {
    const event = fc.record({
      intendedMs: fc.integer({ min: 1000, max: 3500 }),
      lateMs: fc.integer({ min: 0, max: 300 }),
      ending: fc.constantFrom(...endings.filter((ending) => ending !== 'in-flight'), 'skipped', 'abandoned'),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 150 }), (events) => {
        const ledger = ledgerOf();
        let nowMs = times.startMs;
        events.forEach(({ intendedMs, lateMs, ending }, index) => {
          nowMs = Math.max(nowMs, intendedMs + lateMs);
          if (ending === 'skipped') {
            ledger.skipped(index, intendedMs, nowMs);
            return;
          }
          const request = ledger.sent(index, intendedMs, nowMs);
          if (ending !== 'abandoned') ledger.ended(request, ending, nowMs + 1);
        });
        ledger.abandon(nowMs + 2);

        const report: LoadReport = { ...ledger.report(), loops: [], realTime: true };
        const inWindow = events.filter(({ intendedMs }) => intendedMs >= 2000 && intendedMs < 3000).length;
        const classes = Object.values(report.classes);
        expect(classes.reduce((sum, { offered }) => sum + offered, 0)).toBe(inWindow);
        for (const one of classes) {
          expect(one.offered).toBe(one.confirmed + failedCount(one) + one.skipped + one.inFlightAtEnd);
        }
        events.forEach(({ intendedMs, ending }, index) => {
          const isMeasuredOrder =
            requestClassOf(index) === 'orders' && intendedMs >= 2000 && intendedMs < 3000;
          const fate = ending === 'abandoned' ? 'in-flight' : ending;
          expect(fateOf(report, index)).toBe(isMeasuredOrder ? fate : undefined);
        });
      }),
    );
  });
});
