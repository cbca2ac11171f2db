import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  sampleLimit,
  sampleMetric,
  sampleRecord,
  slowerP50,
  undecidedP99,
  worseRecord,
} from './check-record.test.kit.ts';
import {
  changeText,
  discardedLines,
  effectText,
  limitValueText,
  metricSentence,
  spentText,
  verdictSentence,
} from './check-words.ts';

const ratio = (value: number, low: number | null = null, high: number | null = null) =>
  changeText({ scale: 'ratio', change: { value, low, high } });
const difference = (value: number, low: number | null = null, high: number | null = null) =>
  changeText({ scale: 'difference', change: { value, low, high } });

describe('changeText', () => {
  test('tells a factor as per cent with its interval', () => {
    expect(ratio(1.098, 1.081, 1.116)).toBe('+9.8 % [8.1, 11.6]');
    expect(ratio(0.8, 0.77, 1.02)).toBe('-20.0 % [-23.0, 2.0]');
    expect(ratio(1)).toBe('0.0 %');
    expect(ratio(0.9999)).toBe('0.0 %');
  });

  test('tells more than twice as much as a factor', () => {
    expect(ratio(35.44, 21.2, 60.4)).toBe('×35 [21, 60]');
  });

  test('tells a difference with its sign', () => {
    expect(difference(120, 80, 160)).toBe('+120 [80, 160]');
    expect(difference(-14.3, -63.25, 30.5)).toBe('-14.3 [-63.3, 30.5]');
    expect(difference(0, 0, 0)).toBe('0 [0, 0]');
  });

  test('is a dash where a side has no figure', () => {
    expect(changeText({ scale: 'ratio', change: null })).toBe('-');
  });
});

describe('metricSentence', () => {
  const sentence = (
    key: Parameters<typeof sampleMetric>[0],
    a: number | null,
    b: number,
    change: number[] | null,
  ) =>
    metricSentence(
      sampleMetric(key, {
        a,
        b,
        change:
          change === null ? null : { value: change[0] ?? 0, low: change[1] ?? null, high: change[2] ?? null },
      }),
      sampleRecord(),
    );

  test('says how much slower, in a size that needs no sign', () => {
    expect(metricSentence(slowerP50, worseRecord)).toBe(
      'order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)',
    );
  });

  test('turns the interval of a decrease with it', () => {
    expect(sentence('goodput', 122, 98, [0.8, 0.77, 0.85])).toBe(
      'goodput is 20.0 % [15.0 to 23.0] lower than main (98 instead of 122 orders/s)',
    );
    expect(sentence('responseP50', 0.61, 0.6, [0.98, 0.95, 1.01])).toBe(
      'order response p50 is 2.0 % [-1.0 to 5.0] faster than main (0.60 instead of 0.61 ms)',
    );
    expect(sentence('timeToOpen', 120, 100, [-20, -35, 5])).toBe(
      'the time from outage to breaker open is 20 ms [-5 to 35] shorter than main (100 instead of 120 ms)',
    );
  });

  test('tells large factors as times, in both directions', () => {
    expect(sentence('orderP95', 85.4, 3027, [35.4, 21, 60])).toContain('is 35 times [21 to 60] slower than');
    expect(sentence('orderP95', 3027, 85.4, [1 / 35.4, 1 / 60, 1 / 21])).toContain(
      'is 35 times [21 to 60] faster than',
    );
  });

  test('tells shares in percentage points and counts without a unit', () => {
    expect(sentence('errorRate', 70, 80, [10, 8, 12])).toContain('is 10 percentage points [8 to 12] higher');
    expect(sentence('duplicates', 0, 12, [12])).toBe(
      'the number of orders charged twice is 12 higher than main (12 instead of 0)',
    );
  });

  test('says when there is no change, or no figure to compare', () => {
    expect(sentence('goodput', 122, 122, [1])).toContain('is what it is on main');
    expect(sentence('timeToOpen', null, 120, null)).toContain(
      'is not known on both sides (120 instead of - ms)',
    );
  });
});

describe('verdictSentence', () => {
  test('begins with the word and the metric that is worst by what matters', () => {
    const goodput = sampleMetric('goodput', {
      verdict: 'worse',
      change: { value: 0.5, low: 0.4, high: 0.6 },
    });
    expect(verdictSentence(worseRecord)).toBe(
      'worse: order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)',
    );
    expect(verdictSentence({ ...worseRecord, metrics: [slowerP50, goodput] })).toMatch(
      /^worse: goodput is .*; also worse: order response p50$/,
    );
  });

  test('names a limit that is broken', () => {
    const limits = [sampleLimit({ verdict: 'broken', value: 412_000 })];
    expect(verdictSentence(sampleRecord({ limits, verdict: 'worse' }))).toBe(
      'worse: the limit orders.responseUs.p95<=300ms: 412 ms (median of 8 rounds) is broken',
    );
  });

  test('speaks of limits alone where nothing is compared', () => {
    const only = { metrics: [], sides: { a: null, b: { label: 'here', commit: null } } };
    expect(verdictSentence(sampleRecord(only))).toBe('kept: the limit holds');
    const limits = [sampleLimit({ verdict: 'broken' })];
    expect(verdictSentence(sampleRecord({ ...only, limits, verdict: 'worse' }))).toMatch(
      /^broken: the limit /,
    );
  });

  test('says what is the same, what is better and what is not decided', () => {
    expect(verdictSentence(sampleRecord())).toBe(
      'same: none of 4 metrics differs from main by as much as matters; the limit holds',
    );
    const faster = {
      ...slowerP50,
      verdict: 'better' as const,
      change: { value: 0.9, low: 0.88, high: 0.92 },
    };
    expect(verdictSentence(sampleRecord({ metrics: [faster], verdict: 'better' }))).toMatch(
      /^better: order response p50 is 10.0 % .* faster than main .*; nothing is worse; the limit holds$/,
    );
    expect(verdictSentence(sampleRecord({ metrics: [undecidedP99, faster], verdict: 'inconclusive' }))).toBe(
      'inconclusive: 1 of 3 are undecided after 8 rounds: order response p99; also better: order response p50; nothing is worse',
    );
  });

  test('says that nothing was measured, and that a check was interrupted', () => {
    expect(verdictSentence(sampleRecord({ rounds: [], verdict: 'inconclusive' }))).toMatch(
      /no round was measured/,
    );
    expect(verdictSentence({ ...worseRecord, complete: false })).toMatch(/^worse: interrupted; /);
  });

  test('is one line, whatever stands in a record', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (label, text) => {
        const record = {
          ...worseRecord,
          sides: { a: { label, commit: label }, b: { label, commit: null } },
          limits: [sampleLimit({ text, verdict: 'broken' })],
        };
        expect(verdictSentence(record)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

test('a limit is told in the unit of its field', () => {
  const told = (text: string, value: number | null) => limitValueText(sampleLimit({ text }), value);
  expect(told('orders.responseUs.p95<=300ms', 412_000)).toBe('412 ms');
  expect(told('healthy:eventLoop.delayUs.p99 <= 5ms', 1680)).toBe('1.68 ms');
  expect(told('target.downMs<=2s', 1500)).toBe('1,500 ms');
  expect(told('target.rssBytes<=64MB', 32 * 1024 * 1024)).toBe('32 MB');
  expect(told('orders.errorRate<=5%', 0.031)).toBe('3.10 %');
  expect(told('orders.goodputPerS>=100', 96.3)).toBe('96.3');
  expect(told('payments.duplicates<=0', null)).toBe('no figure');
});

test('the smallest effect is a share or in the unit', () => {
  expect(effectText(slowerP50)).toBe('3 %');
  expect(effectText(sampleMetric('timeToOpen'))).toBe('100 ms');
  expect(effectText(sampleMetric('amplification'))).toBe('0.1');
});

test('the time is told by what it went into', () => {
  expect(spentText(sampleRecord())).toBe(
    '228 s of a budget of 240 s: preparing 6 s, healthy trials 88 s, failing trials 131 s, the rest 3 s',
  );
});

test('each pair that is left out says which and why', () => {
  expect(discardedLines(sampleRecord())).toEqual([
    'healthy service, round 3: the canary waited 12.4 ms at p99; at most 10 ms are allowed',
  ]);
});
