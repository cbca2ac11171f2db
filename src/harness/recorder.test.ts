import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from './histogram.ts';
import { ClassRecorder, endings, failedCount, mergeClassReports, responseHistogram } from './recorder.ts';

const request = fc.record({
  ending: fc.constantFrom(...endings, 'skipped' as const),
  responseUs: fc.integer({ min: 0, max: 10_000_000 }),
});
type Request = ReturnType<(typeof request)['generate']>['value'];

function recorderOf(requests: readonly Request[]) {
  const recorder = new ClassRecorder();
  for (const { ending, responseUs } of requests) {
    recorder.offered += 1;
    if (ending === 'skipped') recorder.skipped += 1;
    else recorder.record(ending, responseUs, responseUs / 2);
  }
  return recorder;
}

describe('a class recorder', () => {
  it('keeps response times by ending', () => {
    const report = recorderOf([
      { ending: 'confirmed', responseUs: 900 },
      { ending: 'timeout', responseUs: 3_000_000 },
      { ending: 'breaker-open', responseUs: 100 },
      { ending: 'breaker-open', responseUs: 110 },
      { ending: 'in-flight', responseUs: 5000 },
      { ending: 'skipped', responseUs: 0 },
    ]).report();
    expect(report).toMatchObject({
      offered: 6,
      skipped: 1,
      confirmed: 1,
      failures: { timeout: 1, 'breaker-open': 2 },
      inFlightAtEnd: 1,
    });
    expect(failedCount(report)).toBe(3);
    expect(Object.keys(report.response)).toEqual(['confirmed', 'timeout', 'breaker-open', 'in-flight']);
    expect(summarise(responseHistogram(report))).toMatchObject({ count: 5 });
    expect(summarise(responseHistogram(report, ['confirmed']))).toMatchObject({ count: 1, max: 900 });
    expect(summarise(responseHistogram(report, ['breaker-open']))).toMatchObject({ count: 2, max: 110 });
  });

  it('refuses to report while a request is unaccounted for', () => {
    const recorder = recorderOf([{ ending: 'confirmed', responseUs: 1 }]);
    recorder.offered += 1;
    expect(() => recorder.report()).toThrow('of 2 offered requests 1 are accounted for');
  });

  it('reports the same in parts as in one piece', () => {
    fc.assert(
      fc.property(fc.array(fc.array(request, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), (parts) => {
        const merged = mergeClassReports(parts.map((part) => recorderOf(part).report()));
        expect(merged).toEqual(recorderOf(parts.flat()).report());
      }),
    );
  });
});
