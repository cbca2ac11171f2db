import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { checkMetricKeys } from './check-metrics.ts';
import { sampleLimit, sampleMetric, sampleRecord, worseRecord } from './check-record.test.kit.ts';
import { checkText } from './check-text.ts';

const every = sampleRecord({
  metrics: checkMetricKeys.map((key) =>
    sampleMetric(key, {
      a: 12_345,
      b: 23_456,
      change: { value: 1.9, low: 0.5, high: 2.5 },
      verdict: 'inconclusive',
      decidedInRound: null,
    }),
  ),
  limits: [
    sampleLimit({
      text: 'healthy:eventLoop.sampledDelayUs.p99<=300ms',
      verdict: 'inconclusive',
      value: null,
    }),
  ],
  warnings: ['a long warning '.repeat(10)],
  verdict: 'inconclusive',
});

describe('checkText', () => {
  test('has a row per metric: both figures, the change, its bar, the verdict and its round', () => {
    expect(checkText(worseRecord)).toMatch(
      /order response.* 0\.56 0\.61 \+9\.8 % \[8\.1, 11\.6\] +┊ {2}│ {2}┊ {2}▶ worse in 5\n/,
    );
  });

  test('groups the metrics by what happens to the service', () => {
    const text = checkText(sampleRecord());
    const places = ['healthy service:', 'order response p50', 'failing service:', 'goodput'].map((part) =>
      text.indexOf(part),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
  });

  test('ends with the verdict', () => {
    expect(checkText(worseRecord).split('\n').slice(-2).join(' ')).toBe(
      'worse: order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)',
    );
  });

  test('names the sides, the limits, what was left out, the warnings and the time', () => {
    const text = checkText(sampleRecord({ warnings: ['the tree is dirty'], aMeasuredEarlier: true }));
    expect(text).toContain(
      'A  main (0123456789ab), measured earlier\nB  working tree (456789abcdef), retry+breaker',
    );
    expect(text).toMatch(/orders\.responseUs\.p95<=300ms +85\.4 ms +kept/);
    expect(text).toMatch(/left out.*:\n {2}healthy service, round 3: the canary waited/);
    expect(text).toContain('warnings:\n  the tree is dirty\n');
    expect(text).toContain('228 s of a budget of 240 s:');
  });

  test('has no empty parts', () => {
    const bare = sampleRecord({ limits: [], rounds: [], metrics: [], verdict: 'inconclusive' });
    expect(checkText(bare)).not.toMatch(/limits:|left out|warnings|change|\n\n\n/);
  });

  test('fits into 80 columns, however long the names and large the figures are', () => {
    for (const record of [worseRecord, every, sampleRecord()]) {
      for (const line of checkText(record).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test('reads the same with and without colours', () => {
    const colored = checkText(worseRecord, pc.createColors(true));
    expect(colored).toContain('\u001b[31mworse');
    expect(stripVTControlCharacters(colored)).toBe(checkText(worseRecord));
  });
});
