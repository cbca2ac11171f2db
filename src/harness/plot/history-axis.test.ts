import fc from 'fast-check';
import { expect, it } from 'vitest';
import { historyAxis } from './history-axis.ts';
import { checkOf } from './history.test.kit.ts';
import { historySeries } from './history-series.ts';

function axisOf(key: 'goodput' | 'timeToOpen', changes: readonly number[]) {
  const checks = changes.map((value, index) =>
    checkOf(index + 1, { [key]: { change: { value, low: null, high: null } } }),
  );
  const [series] = historySeries(checks);
  if (series === undefined) throw new Error('no series');
  return historyAxis(series, 100, 0);
}

it('has round per cent near 1, and factors where changes are large', () => {
  expect(axisOf('goodput', [1]).ticks.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['0 %', '+10 %', '-10 %']),
  );
  expect(axisOf('goodput', [20]).ticks.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['0 %', '×10']),
  );
});

it('has differences in the unit of the metric', () => {
  expect(axisOf('timeToOpen', [0]).ticks.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['0', '+100', '-100']),
  );
});

it('puts half as much as far below zero as twice as much above', () => {
  const { y } = axisOf('goodput', [1]);
  expect(y(2) - y(1)).toBeCloseTo(y(1) - y(0.5));
});

it('has room for every change and the smallest effect, and ticks that do not touch', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (changes) => {
        const { y, ticks } = axisOf('goodput', changes);
        for (const change of [...changes, 1.1, 1 / 1.1]) {
          expect(y(change)).toBeGreaterThanOrEqual(0);
          expect(y(change)).toBeLessThanOrEqual(100);
        }
        const ys = ticks.map((tick) => tick.y).sort((one, other) => one - other);
        for (const [index, tick] of ys.slice(1).entries())
          expect(tick - (ys[index] ?? 0)).toBeGreaterThanOrEqual(15);
        expect(ticks.map(({ text }) => text)).toContain('0 %');
      },
    ),
  );
});
