import { describe, expect, it } from 'vitest';
import { createHistogram, encodeHistogram, recordUs } from './histogram.ts';
import { reportText } from './report-text.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';

describe('reportText', () => {
  it('has a column per stack and a unit in every heading with one', () => {
    const text = reportText(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) }));
    expect(text).toMatch(/^ +baseline +breaker$/m);
    expect(text).toMatch(/^order response p95, ms +1,901 +9\.5\d$/m);
    expect(text).toMatch(/^ {4}timeout +10 +10$/m);
    expect(text).toMatch(/^valid trials +1 of 1 +1 of 1$/m);
  });

  it('H55: shows the latency of all orders before that of the confirmed ones', () => {
    const slow = sampleTrial(30_000);
    const fast = sampleTrial(10);
    const collapsed = {
      ...slow,
      histograms: {
        ...slow.histograms,
        orders: { ...slow.histograms.orders, confirmed: fast.histograms.orders.confirmed },
      },
    };
    const text = reportText(sampleResult({ baseline: collapsed }));
    expect(text).toMatch(/order response p95, ms +2,8\d\d\n[^]*confirmed only p95, ms +0\.95/);
  });

  it('names every reason why a trial is invalid, and compares nothing with it', () => {
    const disturbed = sampleTrial(100, { valid: false, invalidReasons: ['the host was disturbed'] });
    const text = reportText(sampleResult({ baseline: sampleTrial(20_000), breaker: disturbed }));
    expect(text).toContain('INVALID breaker, trial 1: the host was disturbed');
    expect(text).toContain('not compared, because breaker has no valid trial.');
    expect(text).toContain('breaker has no valid trial: its column shows what cannot be believed.');
    expect(text).not.toContain('times');
  });

  it('shows an interval below each figure that has one, within 100 columns for four stacks', () => {
    const rounds = (unitUs: number) => [0.9, 1, 1.1, 1, 1.2].map((share) => sampleTrial(unitUs * share));
    const text = reportText(
      sampleResult({
        baseline: rounds(20_000),
        retry: rounds(20_000),
        'retry+breaker': rounds(300),
        'retry+breaker+bulkhead': rounds(100),
      }),
    );
    expect(text).toMatch(
      /^order response p95, ms +1,967 +1,967 .*\n {30,}1,\d{3}–2,\d{3} +1,\d{3}–2,\d{3} /m,
    );
    expect(text).toContain('95 % interval over the trials');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('speaks of no interval where there is none', () => {
    expect(reportText(sampleResult({ baseline: sampleTrial(100) }))).not.toContain('interval');
  });

  it('counts orders within the SLA against all that were offered', () => {
    // Of 100 offered orders 90 are confirmed, in 0.5 to 89.5 ms.
    const trial = sampleTrial(1000);
    const inTime = createHistogram();
    for (let ms = 1; ms <= 90; ms++) recordUs(inTime, ms * 1000 - 500);
    trial.histograms.orders.confirmed = encodeHistogram(inTime);
    const result = sampleResult({ baseline: trial });
    result.options.slaMs = 30;
    expect(reportText(result)).toMatch(/^orders within SLA \(30 ms\), % +30\.0$/m);
  });

  it('lets no name steer the terminal', () => {
    const text = reportText(
      sampleResult({ baseline: sampleTrial(20_000), '\u001b[2Jevil\nname': sampleTrial(100) }),
    );
    expect(text).toContain('?[2Jevil?name');
    expect(text).not.toContain('\u001b');
  });

  it('leaves an invalid trial out of the numbers', () => {
    const result = sampleResult({ baseline: sampleTrial(100) });
    result.stacks[0]?.trials.push(sampleTrial(50_000, { valid: false, invalidReasons: ['disturbed'] }));
    expect(reportText(result)).toMatch(/^order response max, ms +10\.0$/m);
  });

  it('speaks of torn lines of the ledger only where there are some', () => {
    const { payments, ...rest } = sampleTrial(100);
    expect(reportText(sampleResult({ baseline: { payments, ...rest } }))).not.toContain('torn');
    const torn = { ...rest, payments: { ...payments, tornLines: 2 } };
    expect(reportText(sampleResult({ baseline: torn }))).toMatch(/^torn lines of the ledger, dropped +2$/m);
  });

  it('shows a dash for what nobody knows of a service of the user', () => {
    const trial = { ...sampleTrial(100), payments: null, target: null };
    const text = reportText(sampleResult({ baseline: trial, breaker: trial }));
    for (const heading of [
      'deaths of the service',
      'service down, s',
      'orders charged',
      '  charged twice or more',
      '  charged, not confirmed',
      '  confirmed, not charged',
    ])
      expect(text).toMatch(new RegExp(`^${heading} +- +-$`, 'm'));
    expect(text).not.toMatch(/charged twice;|no difference in charged|money/);
  });

  it('says that an interrupted run is partial', () => {
    expect(reportText({ ...sampleResult({ baseline: sampleTrial(100) }), complete: false })).toContain(
      'partial',
    );
  });
});
