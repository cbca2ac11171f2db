import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOf } from './history.test.kit.ts';
import { comparedChecks, historySeries, stretchesOf, ticksOf } from './history-series.ts';

describe('historySeries', () => {
  it('has a series per metric, as the newest checks order and describe them', () => {
    const checks = [
      checkOf(1, { goodput: { smallestEffect: 0.2 }, timeToOpen: {} }),
      checkOf(2, { responseP50: {}, goodput: { smallestEffect: 0.1 } }),
    ];
    const series = historySeries(checks);
    expect(series.map(({ key, points }) => [key, points.map(({ place }) => place)])).toEqual([
      ['responseP50', [1]],
      ['goodput', [0, 1]],
      ['timeToOpen', [0]],
    ]);
    expect(series[1]?.metric.smallestEffect).toBe(0.1);
  });

  it('leaves out checks without a change, and changes of another scale', () => {
    const checks = [
      checkOf(1, { goodput: { change: null } }),
      checkOf(2, { goodput: { scale: 'difference' } }),
      checkOf(3, { goodput: {} }),
    ];
    expect(historySeries(checks)[0]?.points.map(({ place }) => place)).toEqual([2]);
  });

  it('takes the change itself for an interval that is not known', () => {
    const [series] = historySeries([
      checkOf(1, { goodput: { change: { value: 1.2, low: null, high: null } } }),
    ]);
    expect(series?.points[0]).toMatchObject({ change: 1.2, low: 1.2, high: 1.2 });
  });
});

it('checks come in the order of their time, without those that compared nothing', () => {
  const [second, first] = [checkOf(2, { goodput: {} }), checkOf(1, { goodput: {} })];
  expect(comparedChecks([second, checkOf(3, { goodput: { change: null } }), first])).toEqual([first, second]);
});

it('a stretch ends where the host changes', () => {
  const checks = ['one', 'one', 'other', 'one'].map((cpu, index) => checkOf(index + 1, { goodput: {} }, cpu));
  const stretches = stretchesOf(historySeries(checks)[0]?.points ?? []);
  expect(stretches.map((stretch) => stretch.map(({ place }) => place))).toEqual([[0, 1], [2], [3]]);
});

it('ticks are few, evenly apart, and have the first and the last check', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), (count) => {
      const ticks = ticksOf(count, 4);
      expect(ticks).toHaveLength(Math.min(count, 4));
      expect([ticks[0], ticks.at(-1)]).toEqual([0, count - 1]);
      expect(new Set(ticks).size).toBe(ticks.length);
    }),
  );
});
