import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createHistogram, encodeHistogram, recordUs } from './histogram.ts';
import type { Result, TimelineRow } from './result.ts';
import { terminalPictures } from './terminal-pictures.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';

const plain = pc.createColors(false);
const [down, up] = [null, 100_000_000];

/** A trial of 10 s in which the service held 100 MB, but for the second half of it, and died at 5 s. */
function leakyTrial(unitUs: number) {
  const timeline = Array.from(
    { length: 40 },
    (_, step): TimelineRow => ({
      atMs: step * 250,
      offered: 1,
      confirmed: 1,
      failed: 0,
      responseP99Us: null,
      latenessP99Us: null,
      inFlight: null,
      breakerState: null,
      loopDelayP99Us: null,
      canaryDelayP99Us: null,
      targetUp: step < 20,
      rssBytes: step < 20 ? up : down,
      cpuPercent: null,
    }),
  );
  return sampleTrial(unitUs, { timeline });
}

const result: Result = sampleResult({ baseline: leakyTrial(30_000), breaker: leakyTrial(10) });

/** The rows of the chart behind their axis. */
function chartRows(text: string): string[] {
  return text.split('\n').flatMap((line) => line.split('┤').slice(1));
}

describe('terminalPictures', () => {
  it('fits into 80 columns, and into fewer where the terminal is narrower', () => {
    for (const [columns, widest] of [
      [200, 80],
      [80, 80],
      [60, 60],
    ] as const) {
      const lines = terminalPictures(result, columns, plain).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(widest);
    }
  });

  it('is left out where there is no room for it', () => {
    expect(terminalPictures(result, 40, plain)).toBe('');
  });

  it('tells stacks apart without colour, the slow one above the fast one', () => {
    const text = terminalPictures(result, 80, plain);
    expect(text).not.toContain('\u001b');
    expect(text).toContain('o baseline   x breaker');
    const rows = chartRows(text);
    const lowestSlow = rows.findLastIndex((row) => row.includes('o'));
    expect(rows.findIndex((row) => row.includes('x'))).toBeGreaterThan(lowestSlow);
  });

  it('gives each stack a colour where there are colours', () => {
    const text = terminalPictures(result, 80, pc.createColors(true));
    expect(text).toContain(pc.createColors(true).cyan('o baseline'));
    expect(text).toContain(pc.createColors(true).yellow('x breaker'));
  });

  it('ends each curve at the percentile that its samples support', () => {
    const few = chartRows(terminalPictures(result, 80, plain));
    const width = 70;
    // 100 orders reach to 99 %, two of the three decades.
    expect(Math.max(...few.map((row) => row.length))).toBe(Math.floor(((width - 1) * 2) / 3) + 1);
  });

  it('draws the memory until a death, marks it, and leaves blank what follows', () => {
    const line = terminalPictures(result, 80, plain)
      .split('\n')
      .find((text) => text.startsWith('  o baseline █'));
    expect(line).toMatch(/^ {2}o baseline █{33}✗$/);
  });

  it('draws a chart of equal values, and none of no values', () => {
    const empty = sampleTrial(10);
    empty.histograms.orders.all = encodeHistogram(createHistogram());
    expect(terminalPictures(sampleResult({ baseline: empty }), 80, plain)).toBe('');
    const equal = createHistogram();
    recordUs(equal, 5000, 2000);
    empty.histograms.orders.all = encodeHistogram(equal);
    expect(terminalPictures(sampleResult({ baseline: empty }), 80, plain)).toMatch(/┤o{70}$/m);
  });

  it('lets no name steer the terminal', () => {
    const hostile = sampleResult({ '\u001b[2Jevil': leakyTrial(10) });
    expect(terminalPictures(hostile, 80, plain)).not.toContain('\u001b');
  });
});
