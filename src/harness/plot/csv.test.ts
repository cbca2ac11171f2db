import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../result.ts';
import { percentilesCsv, timelineCsv } from './csv.ts';
import { linesOf, stackResult, trialOf } from './plot.test.kit.ts';

const row: TimelineRow = {
  atMs: -250,
  offered: 100,
  confirmed: 90,
  failed: 10,
  responseP99Us: 1200,
  latenessP99Us: 30,
  inFlight: 3,
  breakerState: 'half-open',
  loopDelayP99Us: null,
  canaryDelayP99Us: 80,
  targetUp: true,
  rssBytes: 1_000_000,
  cpuPercent: 12.5,
};

describe('percentilesCsv', () => {
  it('has a row per point of the series, with its count', () => {
    const lines = percentilesCsv(linesOf(stackResult('retry+breaker', [trialOf([100, 200])]))).split('\r\n');
    expect(lines[0]).toBe('run,stack,class,valid,trials,count,percentile,1/(1-percentile),response_us');
    expect(lines[1]).toBe('20260102T030405Z-sample,retry+breaker,orders,true,1,2,0,1,100');
    expect(lines[200]).toBe('20260102T030405Z-sample,retry+breaker,orders,true,1,2,50,2,200');
    expect(lines.slice(201)).toEqual(['']);
  });

  it('is its header alone for an empty histogram', () => {
    expect(percentilesCsv(linesOf(stackResult('breaker', [trialOf([])]))).split('\r\n').length).toBe(2);
  });

  it('quotes what a name holds, and lets no spreadsheet take it for a formula', () => {
    const csv = percentilesCsv(linesOf(stackResult('=HYPERLINK("http://x",\n"y")', [trialOf([1])])));
    expect(csv).toContain(`sample,"'=HYPERLINK(""http://x"",\n""y"")",orders`);
  });
});

describe('timelineCsv', () => {
  it('has a row per step of each trial, empty where nothing was measured', () => {
    const trials = [trialOf([1], { timeline: [row] }), trialOf([1], { timeline: [row], sequence: 3 })];
    expect(timelineCsv(linesOf(stackResult('breaker', trials))).split('\r\n')).toEqual([
      'run,stack,trial_sequence,valid,at_ms,offered,confirmed,failed,response_p99_us,lateness_p99_us,in_flight,breaker_state,loop_delay_p99_us,canary_delay_p99_us,target_up,rss_bytes,cpu_percent',
      '20260102T030405Z-sample,breaker,0,true,-250,100,90,10,1200,30,3,half-open,,80,true,1000000,12.5',
      '20260102T030405Z-sample,breaker,3,true,-250,100,90,10,1200,30,3,half-open,,80,true,1000000,12.5',
      '',
    ]);
  });
});
