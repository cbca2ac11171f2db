import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compareStacks } from '../comparison.ts';
import type { Result, WatchedTrial } from '../result.ts';
import { reportData } from './report-data.ts';
import { reportHtml } from './report-html.ts';
import { emptyTrial, lifelikeTrial, openedBreaker, resultOf } from './report.test.kit.ts';
import { breakerBands, trialTimeline } from './trial-timeline.ts';

const assets = { script: 'void 0;', style: 'p{color:red}' };
const dataOf = (result: Result) => reportData(result, compareStacks(result));
const pageOf = (result: Result) => reportHtml(dataOf(result), assets);
const invalid: Partial<WatchedTrial> = { valid: false, invalidReasons: ['the host was disturbed'] };

describe('the report', () => {
  it('lets nothing run or load but its own script and style', () => {
    const page = pageOf(resultOf({ baseline: [lifelikeTrial(100)] }));
    const sha = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(page).toContain(
      `default-src 'none'; script-src ${sha(assets.script)}; style-src ${sha(assets.style)};`,
    );
    expect(page).not.toMatch(/ style="| on\w+="|src="|https?:/);
  });

  it('opens with the verdict on every stack against the first', () => {
    const page = pageOf(resultOf({ baseline: [lifelikeTrial(20_000)], breaker: [lifelikeTrial(100)] }));
    expect(page.indexOf('breaker against baseline')).toBeGreaterThan(0);
    expect(page.indexOf('id="verdict"')).toBeLessThan(page.indexOf('id="comparison"'));
    expect(page).toMatch(/class="ratio better">200 times lower</);
  });

  it('gives every picture a text alternative and every figure a table', () => {
    const page = pageOf(resultOf({ baseline: [lifelikeTrial(100)], breaker: [lifelikeTrial(200)] }));
    for (const [picture] of page.matchAll(/<div[^>]* role="img"[^>]*>/g)) {
      expect(picture).toMatch(/aria-label="[^"]{20,}"/);
    }
    const figures = page.match(/<figure[^]*?<\/figure>/g) ?? [];
    expect(figures).toHaveLength(2 + 6 + 2);
    for (const figure of figures) expect(figure).toMatch(/<details[^]*<td>/);
  });

  it('tells the options, the layers, the versions, the seed and the command', () => {
    const result = {
      ...resultOf({ baseline: [lifelikeTrial(100)] }),
      command: "npx wavetank run --set 'a<b'",
    };
    const page = pageOf(result);
    expect(page).toContain('npx wavetank run --set &#39;a&#60;b&#39;');
    expect(page).toContain('<dt>durationMs</dt><dd>10000</dd>');
    expect(page).toContain('<b>timeout</b> limitMs 3000, abort true');
    expect(page).toContain('<dt>Node.js</dt><dd>v20.20.2</dd>');
    expect(page).toContain('Seed 1');
  });

  it('says that a run is partial and which stacks were not measured', () => {
    const result = { ...resultOf({ baseline: [lifelikeTrial(100)], breaker: [] }), complete: false };
    expect(pageOf(result)).toContain('This run was interrupted: what follows is partial.');
    expect(pageOf(result)).toContain('Not measured: breaker.');
  });

  it('says that nothing was measured where there is no trial at all', () => {
    expect(pageOf(resultOf({ baseline: [] }))).toContain('<h1>Nothing was measured.</h1>');
  });

  it('shows invalid trials as such and leaves them out where there are valid ones', () => {
    const one = resultOf({ baseline: [lifelikeTrial(100), lifelikeTrial(90_000, invalid)] });
    expect(pageOf(one)).toContain('1 of 2 trials are invalid and left out.');
    expect(pageOf(one)).toContain('the host was disturbed');
    expect(dataOf(one).stacks[0]?.orders.all.count).toBe(100);
    const none = resultOf({ baseline: [lifelikeTrial(100, invalid)], breaker: [lifelikeTrial(90, invalid)] });
    expect(pageOf(none)).toContain('No trial of this run is valid.');
    expect(pageOf(none)).not.toContain('class="ratio');
  });

  it('has words for empty histograms', () => {
    const page = pageOf(resultOf({ baseline: [emptyTrial()] }));
    expect(page).toContain('too few samples');
    expect(page).toContain('no samples');
    expect(page).toContain('No mechanism was triggered.');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('shows no percentile that has too few samples', () => {
    const { percentilesUs } =
      dataOf(resultOf({ baseline: [lifelikeTrial(100)] })).stacks[0]?.orders.all ?? {};
    // 100 samples: up to 99 %, and the largest.
    expect(percentilesUs?.map((us) => us !== null)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('stays small: many trials share so many rows, and only the first ten have a timeline', () => {
    const rows = Array.from({ length: 20 }, () => lifelikeTrial(100).timeline.slice(0, 50)).flat();
    const trials = Array.from({ length: 12 }, () => lifelikeTrial(100, { timeline: rows }));
    const { page, timelines } = dataOf(resultOf({ baseline: trials }));
    expect(page.stacks[0]?.timelines).toHaveLength(10);
    expect(timelines.stepMs).toBe(500);
    expect(page.stacks[0]?.timelines[0]?.startS).toHaveLength(500);
  });
});

describe('a timeline', () => {
  it('adds up rates and keeps the highest of everything else in coarser steps', () => {
    const rows = lifelikeTrial(100)
      .timeline.slice(0, 4)
      .map((row, index) => ({
        ...row,
        offered: index,
        inFlight: index === 3 ? null : index * 10,
      }));
    const { columns, startS, stepS } = trialTimeline(lifelikeTrial(100, { timeline: rows }), 1, 2);
    expect(stepS).toBe(0.5);
    expect(startS).toEqual([-2, -1.5]);
    expect(columns.offeredPerS).toEqual([2, 10]);
    expect(columns.inFlight).toEqual([10, 20]);
  });

  it('has a band for each time in which the breaker was not closed', () => {
    expect(breakerBands(openedBreaker.transitions, 11)).toEqual([
      { fromS: 5.1, toS: 6.6, state: 'open' },
      { fromS: 6.6, toS: 6.9, state: 'half-open' },
    ]);
    expect(breakerBands(openedBreaker.transitions.slice(0, 1), 11)).toEqual([
      { fromS: 5.1, toS: 11, state: 'open' },
    ]);
  });
});
