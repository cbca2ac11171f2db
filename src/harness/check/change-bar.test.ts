import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleMetric } from './check-record.test.kit.ts';
import { barHeading, barWidth, changeBar } from './change-bar.ts';

const p50 = (value: number, low: number | null, high: number | null) =>
  changeBar(sampleMetric('responseP50', { smallestEffect: 0.03, change: { value, low, high } }));

describe('changeBar', () => {
  test('shows the interval against zero and the smallest effect to both sides', () => {
    expect(p50(1, null, null)).toBe('   ┊  ●  ┊   ');
    expect(p50(1.04, 1.02, 1.05)).toBe('   ┊  │ ━━●━ ');
    expect(p50(0.97, 0.96, 0.98)).toBe('  ━●━ │  ┊   ');
  });

  test('ends in an arrow where it has no room', () => {
    expect(p50(1.098, 1.081, 1.116)).toBe('   ┊  │  ┊  ▶');
    expect(p50(1.03, 0.8, 1.3)).toBe('◀━━━━━━━━●━━▶');
  });

  test('has worse to the right, whichever direction is better', () => {
    const goodput = (value: number) =>
      changeBar(sampleMetric('goodput', { smallestEffect: 0.1, change: { value, low: null, high: null } }));
    expect(goodput(0.9)).toBe('   ┊  │  ●   ');
    expect(goodput(1.1)).toBe('   ●  │  ┊   ');
    const duplicates = sampleMetric('duplicates', { change: { value: 5, low: null, high: null } });
    expect(changeBar(duplicates)).toBe('   ┊  │  ●   ');
  });

  test('is nothing without a change or an effect to hold it against', () => {
    expect(changeBar(sampleMetric('goodput', { change: null }))).toBe('');
    expect(changeBar(sampleMetric('goodput', { smallestEffect: 0 }))).toBe('');
  });

  test('always fits below its heading', () => {
    const factor = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(factor, factor, factor, (value, one, other) => {
        const bar = p50(value, Math.min(one, other), Math.max(one, other));
        expect(bar).toHaveLength(barWidth);
        expect(bar).toMatch(/[●◀▶]/);
      }),
    );
    expect(barHeading).toHaveLength(barWidth);
  });
});
