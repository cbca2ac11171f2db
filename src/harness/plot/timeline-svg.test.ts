import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../result.ts';
import { linesOf, stackResult, trialOf } from './plot.test.kit.ts';
import { timelineSvg } from './timeline-svg.ts';

function rowsTo(endMs: number): TimelineRow[] {
  return Array.from({ length: (endMs + 1000) / 250 }, (_, index) => ({
    atMs: index * 250 - 1000,
    offered: 100,
    confirmed: 90,
    failed: 10,
    responseP99Us: null,
    latenessP99Us: null,
    inFlight: null,
    breakerState: null,
    loopDelayP99Us: null,
    canaryDelayP99Us: null,
    targetUp: true,
    rssBytes: 50e6,
    cpuPercent: null,
  }));
}

describe('timelineSvg', () => {
  it('draws rates and memory, marks each death in the window, and shades the time down', () => {
    const timeline = rowsTo(10_000);
    const svg = timelineSvg(linesOf(stackResult('breaker', [trialOf([1], { timeline })])));
    // One cross in the legend and one for the death; the same for the shade.
    expect(svg.match(/class="death"/g)?.length).toBe(2);
    expect(svg.match(/class="down"/g)?.length).toBe(2);
    expect(svg).toContain('>breaker: 1 death<');
    expect(svg).toMatch(/<desc[^>]*>breaker: 1 death in 10 s\.</);
  });

  it('leaves out what came after the window', () => {
    const upTo = (endMs: number) =>
      timelineSvg(linesOf(stackResult('breaker', [trialOf([1], { timeline: rowsTo(endMs) })])));
    expect(upTo(15_000)).toBe(upTo(10_000));
  });

  it('says "no samples" where there is no timeline', () => {
    const svg = timelineSvg(linesOf(stackResult('<b>', [trialOf([1])])));
    expect(svg).toContain('>no samples<');
    expect(svg).toContain('&lt;b&gt;: 1 death');
    expect(svg).not.toContain('NaN');
  });
});
