import { HistogramLogReader } from 'hdr-histogram-js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestUs } from '../histogram.ts';
import { decodeHdr } from '../hdr-decoder.test.kit.ts';
import { hlogTag, hlogText } from './hlog.ts';
import { linesOf, stackResult, trialOf } from './plot.test.kit.ts';

function logOf(trials: Parameters<typeof stackResult>[1], stack = 'breaker'): string {
  return linesOf(stackResult(stack, trials)).map(hlogText).join('');
}

interface Interval {
  readonly tag: string;
  readonly startS: number;
  readonly lengthS: number;
  readonly maxMs: number;
  readonly values: number[];
}

/** A reader of its own, by the format's description: comments and the legend are passed over. */
function intervalsOf(log: string): Interval[] {
  return log
    .trimEnd()
    .split('\n')
    .filter((line) => !/^[#"]/.test(line))
    .map((line) => {
      const match = /^Tag=([^,\s]+),([\d.]+),([\d.]+),([\d.]+),([\w+/=]+)$/.exec(line);
      if (match === null) throw new Error(`not an interval: ${JSON.stringify(line)}`);
      const [, tag = '', startS, lengthS, maxMs, base64 = ''] = match;
      return {
        tag,
        startS: Number(startS),
        lengthS: Number(lengthS),
        maxMs: Number(maxMs),
        values: decodeHdr(base64),
      };
    });
}

/** All values of each tag. */
function union(log: string): Record<string, number[]> {
  const byTag: Record<string, number[]> = {};
  for (const { tag, values } of intervalsOf(log)) {
    byTag[tag] = [...(byTag[tag] ?? []), ...values].sort((a, b) => a - b);
  }
  return byTag;
}

const milliseconds = fc.array(fc.integer({ min: 0, max: 2047 }), { maxLength: 100 });

describe('hlogText', () => {
  it('holds one interval per trial, with every value, as a reader of its own decodes it', () => {
    fc.assert(
      fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 4 }), (trials) => {
        const intervals = intervalsOf(logOf(trials.map((values) => trialOf(values))));
        // Up to 2,047 µs a step holds one value.
        expect(intervals.map(({ values }) => values)).toEqual(
          trials.map((values) => values.toSorted((a, b) => a - b)),
        );
        expect(intervals.map(({ maxMs }) => maxMs)).toEqual(
          trials.map((values) => Math.max(0, ...values) / 1000),
        );
      }),
    );
  });

  it('keeps values over the whole range to 0.1 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: highestUs }), (value) => {
        const [read = 0] = intervalsOf(logOf([trialOf([value])]))[0]?.values ?? [];
        expect(read).toBeGreaterThanOrEqual(value);
        expect(read - value).toBeLessThanOrEqual(value / 1000);
      }),
    );
  });

  it('starts each interval with its window, at absolute times', () => {
    const log = logOf([
      trialOf([1], { startedAt: '2026-01-02T03:04:05.000Z' }),
      trialOf([1], { startedAt: '2026-01-02T03:05:05.000Z', windowMs: 2500 }),
    ]);
    const startS = Date.parse('2026-01-02T03:04:09.000Z') / 1000;
    expect(intervalsOf(log).map(({ startS, lengthS }) => [startS, lengthS])).toEqual([
      [startS, 10],
      [startS + 60, 2.5],
    ]);
    expect(log).toContain(`#[StartTime: ${startS}.000 (seconds since epoch), 2026-01-02T03:04:09.000Z]\n`);
    expect(log).toContain('#[BaseTime: 0.000 (seconds since epoch)]\n');
  });

  it('has no empty line, at which the Java reader would stop', () => {
    expect(
      logOf([trialOf([1])])
        .trimEnd()
        .split('\n'),
    ).not.toContain('');
  });

  it('is read by the log reader of the library', () => {
    const reader = new HistogramLogReader(logOf([trialOf([5, 6]), trialOf([7])]));
    const read = [reader.nextIntervalHistogram(), reader.nextIntervalHistogram()];
    expect(read.map((one) => [one?.tag, one?.totalCount, one?.maxValue])).toEqual([
      ['breaker/orders', 2, 6],
      ['breaker/orders', 1, 7],
    ]);
    expect(reader.nextIntervalHistogram()).toBeNull();
  });

  it('merges with the log of another machine by concatenation: a tag holds the values of both', () => {
    const here = logOf([trialOf([1, 5])]);
    const there = logOf([trialOf([3], { startedAt: '2025-06-01T00:00:00.000Z' }), trialOf([2])]);
    const other = logOf([trialOf([9])], 'retry');
    const merged = { 'breaker/orders': [1, 2, 3, 5], 'retry/orders': [9] };
    expect(union(here + there + other)).toEqual(merged);
    expect(union(other + there + here)).toEqual(merged);
    expect(intervalsOf(here + there).map(({ startS }) => startS)).toEqual([
      ...intervalsOf(here).map(({ startS }) => startS),
      ...intervalsOf(there).map(({ startS }) => startS),
    ]);
  });

  it('leaves invalid trials out, unless there are no others', () => {
    const invalid = trialOf([9], { valid: false });
    expect(union(logOf([invalid, trialOf([1])]))).toEqual({ 'breaker/orders': [1] });
    const log = logOf([invalid]);
    expect(union(log)).toEqual({ 'breaker/orders': [9] });
    expect(log).toContain('#[invalid trials]\n');
  });
});

describe('hlogTag', () => {
  it('holds neither a comma nor white space, whatever the name of the stack', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (stack) => {
        expect(hlogTag(stack, 'orders')).toMatch(/^[^,\s]*\/orders$/);
      }),
    );
    expect(hlogTag('a, b\n#c', 'bystander')).toBe('a__b_#c/bystander');
  });
});
