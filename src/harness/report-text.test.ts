import { describe, expect, it } from 'vitest';
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

  it('compares each stack with the first in one plain sentence', () => {
    const text = reportText(sampleResult({ baseline: sampleTrial(20_000), breaker: sampleTrial(100) }));
    expect(text).toContain(
      'breaker against baseline: order response p95 9.50 ms instead of 1,901 ms (200 times lower)',
    );
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

  it('gives a ratio no more digits than one run can bear', () => {
    const text = reportText(sampleResult({ baseline: sampleTrial(8590), breaker: sampleTrial(1000) }));
    expect(text).toContain('(8.6 times lower)');
  });

  it('calls what hardly differs the same', () => {
    const text = reportText(sampleResult({ baseline: sampleTrial(1000), breaker: sampleTrial(1001) }));
    expect(text).toContain('(the same)');
  });

  it('names every reason why a trial is invalid, and compares nothing with it', () => {
    const disturbed = sampleTrial(100, { valid: false, invalidReasons: ['the host was disturbed'] });
    const text = reportText(sampleResult({ baseline: sampleTrial(20_000), breaker: disturbed }));
    expect(text).toContain('INVALID breaker, trial 1: the host was disturbed');
    expect(text).toContain('not compared, because breaker has no valid trial');
    expect(text).not.toContain('times');
  });

  it('leaves an invalid trial out of the numbers', () => {
    const result = sampleResult({ baseline: sampleTrial(100) });
    result.stacks[0]?.trials.push(sampleTrial(50_000, { valid: false, invalidReasons: ['disturbed'] }));
    expect(reportText(result)).toMatch(/^order response max, ms +10\.0$/m);
  });

  it('says that an interrupted run is partial', () => {
    expect(reportText({ ...sampleResult({ baseline: sampleTrial(100) }), complete: false })).toContain(
      'partial',
    );
  });
});
