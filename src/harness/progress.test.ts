import { stripVTControlCharacters } from 'node:util';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgress, liveLines } from './progress.ts';
import type { TrialProgress } from './trial-progress.ts';

const measuring: TrialProgress = {
  stack: 'breaker',
  phase: 'measuring',
  leftMs: 12_300,
  rates: { offeredPerS: 495, confirmedPerS: 120, failedPerS: 375 },
  rssBytes: 100 * 1024 * 1024,
  memoryFullBytes: 200 * 1024 * 1024,
  breakerState: 'open',
};

function plain(lines: readonly string[]): string[] {
  return lines.map(stripVTControlCharacters);
}

describe('live lines', () => {
  it('show phase, time left, flow, memory against its limit and the breaker', () => {
    expect(plain(liveLines(measuring, 0, 1, 120))).toEqual([
      'breaker: measuring, 12 s left  service ██████████░░░░░░░░░░ 100 MB',
      'offered 495/s  confirmed 120/s  failed 375/s  breaker open',
    ]);
  });

  it('say when the service is down, and nothing of a breaker that is not there', () => {
    expect(plain(liveLines({ ...measuring, rssBytes: null, breakerState: null }, 0, 1, 120))).toEqual([
      'breaker: measuring, 12 s left  service down',
      'offered 495/s  confirmed 120/s  failed 375/s',
    ]);
  });

  it('say which of several trials it is', () => {
    expect(plain(liveLines(measuring, 1, 4, 120))[0]).toMatch(/^\[2\/4\] breaker: measuring, 12 s left/);
  });

  it('fit into 80 columns', () => {
    const rates = { offeredPerS: 20_000, confirmedPerS: 20_000, failedPerS: 20_000 };
    const busiest: TrialProgress = { ...measuring, rates, breakerState: 'half-open' };
    for (const line of plain(liveLines(busiest, 0, 1, 80))) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('progress where there is no terminal', () => {
  it('is one plain line per phase', () => {
    const stream = new PassThrough();
    const progress = createProgress(stream as unknown as NodeJS.WriteStream);
    progress.show({ ...measuring, phase: 'starting', leftMs: 0 }, 0, 1);
    progress.show(measuring, 0, 1);
    progress.show({ ...measuring, leftMs: 12_000 }, 0, 1);
    progress.end();
    expect(stripVTControlCharacters(String(stream.read()))).toBe(
      'breaker: starting\nbreaker: measuring, 12 s left\n',
    );
  });
});
