import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../patterns/random.ts';
import type { CheckMetricKey } from './check-metrics.ts';
import type { Round } from './check-record.ts';
import {
  evidenceOf,
  isSettled,
  limitRecords,
  metricRecords,
  overallVerdict,
  type Question,
} from './conclude.ts';
import { Judge } from './judge.ts';
import { parseLimit } from './limit.ts';

function rounds(
  count: number,
  figures: (round: number) => { a: Round['pairs'][number]['a']; b: Round['pairs'][number]['b'] },
  change: Partial<Round['pairs'][number]> = {},
): Round[] {
  return Array.from({ length: count }, (_, index) => ({
    round: index + 1,
    order: 'AB',
    pairs: [{ scenario: 'failing', discarded: null, ...figures(index + 1), limits: {}, ...change }],
  }));
}

function question(key: CheckMetricKey, effect: number, limits: string[] = []): Question {
  return { effects: new Map([[key, effect]]), limits: limits.map(parseLimit) };
}

function judged(all: readonly Round[], asked: Question): Judge {
  const judge = new Judge(0.05);
  judge.look(all.length, evidenceOf(all, asked));
  return judge;
}

const noise = (round: number) => 1 + 0.01 * Math.sin(round * 7);

describe('metricRecords', () => {
  test('says how much B differs, with an interval, and the verdict', () => {
    const asked = question('orderP95', 0.25);
    const all = rounds(5, (round) => ({
      a: { orderP95: 100 * noise(round) },
      b: { orderP95: 200 * noise(round + 3) },
    }));
    const [metric] = metricRecords(all, asked, judged(all, asked), seededRandom(1));
    expect(metric).toMatchObject({ key: 'orderP95', rounds: 5, verdict: 'worse', decidedInRound: 5 });
    expect(metric?.change?.value).toBeCloseTo(2, 1);
    expect(metric?.change?.low).toBeLessThan(2.01);
    expect(metric?.change?.high).toBeGreaterThan(1.99);
    expect(metric?.a).toBeCloseTo(100, -1);
  });

  test('a higher goodput is better', () => {
    const asked = question('goodput', 0.1);
    const all = rounds(5, (round) => ({
      a: { goodput: 100 * noise(round) },
      b: { goodput: 200 * noise(round + 3) },
    }));
    expect(metricRecords(all, asked, judged(all, asked), seededRandom(1))[0]?.verdict).toBe('better');
  });

  test('leaves out what was discarded and what has no figure on both sides', () => {
    const asked = question('timeToOpen', 100);
    const all = [
      ...rounds(2, () => ({ a: { timeToOpen: 5 }, b: { timeToOpen: null } })),
      ...rounds(2, () => ({ a: { timeToOpen: 5 }, b: { timeToOpen: 5 } }), {
        discarded: 'the host was disturbed',
      }),
      ...rounds(1, () => ({ a: { timeToOpen: 5 }, b: { timeToOpen: 7 } })),
    ];
    expect(metricRecords(all, asked, judged(all, asked), seededRandom(1))[0]).toMatchObject({
      rounds: 1,
      a: 5,
      b: 7,
      verdict: 'inconclusive',
    });
  });
});

describe('orders charged twice', () => {
  const asked = question('duplicates', 5);

  test('a single new one is worse at once', () => {
    const all = rounds(3, (round) => ({ a: { duplicates: 0 }, b: { duplicates: round === 3 ? 1 : 0 } }));
    const judge = new Judge(0.05);
    expect(metricRecords(all, asked, judge, seededRandom(1))[0]).toMatchObject({
      verdict: 'worse',
      decidedInRound: 3,
    });
    expect(isSettled(all, asked, judge)).toBe(true);
  });

  test('where A has them too, their number is compared like any other', () => {
    const all = rounds(3, () => ({ a: { duplicates: 20 }, b: { duplicates: 21 } }));
    expect(metricRecords(all, asked, new Judge(0.05), seededRandom(1))[0]?.verdict).toBe('inconclusive');
    expect(metricRecords(all, asked, judged(all, asked), seededRandom(1))[0]?.verdict).toBe('same');
  });
});

describe('limitRecords', () => {
  const text = 'orders.goodputPerS>=100';
  const asked: Question = { effects: new Map(), limits: [parseLimit(text)] };
  const limited = (count: number, figure: (round: number) => number) =>
    rounds(count, () => ({ a: null, b: {} })).map((round) => ({
      ...round,
      pairs: round.pairs.map((pair) => ({ ...pair, limits: { [text]: figure(round.round) } })),
    }));
  const verdict = (all: Round[]) => limitRecords(all, asked, judged(all, asked))[0]?.verdict;

  test('a figure that is clearly beyond it breaks it', () => {
    expect(verdict(limited(5, (round) => 50 * noise(round)))).toBe('broken');
  });

  test('it is kept where five rounds are all within it, on the very limit too', () => {
    expect(verdict(limited(5, () => 100))).toBe('kept');
    expect(verdict(limited(5, (round) => 100 + round * 30))).toBe('kept');
  });

  test('it is undecided where some rounds are within it and some are not', () => {
    expect(verdict(limited(5, (round) => (round % 2 === 0 ? 60 : 150)))).toBe('inconclusive');
  });
});

test('the whole check is as bad as the worst of its parts', () => {
  const metric = (verdict: 'worse' | 'better' | 'same' | 'inconclusive') => ({ verdict });
  expect(overallVerdict([metric('same'), metric('worse'), metric('inconclusive')], [])).toBe('worse');
  expect(overallVerdict([metric('same')], [{ verdict: 'broken' }])).toBe('worse');
  expect(overallVerdict([metric('better'), metric('inconclusive')], [])).toBe('inconclusive');
  expect(overallVerdict([metric('same')], [{ verdict: 'inconclusive' }])).toBe('inconclusive');
  expect(overallVerdict([metric('better'), metric('same')], [])).toBe('better');
  expect(overallVerdict([metric('same')], [{ verdict: 'kept' }])).toBe('same');
});
