import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../patterns/random.ts';
import { type Evidence, isLookDue, Judge } from './judge.ts';

test('looks are due after 4, 6, 10, 16 and 26 rounds', () => {
  const due = Array.from({ length: 30 }, (_, index) => index + 1).filter(isLookDue);
  expect(due).toEqual([4, 6, 10, 16, 26]);
});

function evidence(harms: readonly number[], smallestHarm = 0.05): Evidence {
  return { harms, smallestHarm };
}

describe('Judge', () => {
  test('decides each metric for itself, and keeps what it has decided', () => {
    const judge = new Judge(0.05);
    const clear = [0.7, 0.71, 0.69, 0.7, 0.7];
    judge.look(
      5,
      new Map([
        ['slower', evidence(clear)],
        ['faster', evidence(clear.map((harm) => -harm))],
        ['equal', evidence([0.001, -0.001, 0, 0.001, 0])],
        ['noise', evidence([0.5, -0.6, 0.4, -0.3, 0.1])],
      ]),
    );
    expect(judge.decisionOf('slower')).toEqual({ verdict: 'worse', round: 5 });
    expect(judge.decisionOf('faster')).toEqual({ verdict: 'better', round: 5 });
    expect(judge.decisionOf('equal')).toEqual({ verdict: 'same', round: 5 });
    expect(judge.decisionOf('noise')).toBeUndefined();
    judge.look(8, new Map([['slower', evidence([0, 0, 0, 0])]]));
    expect(judge.decisionOf('slower')).toEqual({ verdict: 'worse', round: 5 });
  });

  test('does not let what it has decided stand in the way of the rest', () => {
    const late = ['late', evidence([0.5, 0.62, 0.41, 0.55, 0.47])] as const;
    const early = Array.from({ length: 40 }, (_, i) => `early ${i}`);
    const judge = new Judge(0.05);
    judge.look(4, new Map(early.map((name) => [name, evidence([1, 1, 1, 1])])));
    judge.look(6, new Map([...early.map((name) => [name, evidence([1, -1, 1, -1])] as const), late]));
    expect(judge.decisionOf('late')).toEqual({ verdict: 'worse', round: 6 });
  });

  test('asks more of one metric among many', () => {
    const weak = evidence([0.5, 0.62, 0.41, 0.55, 0.47]);
    const alone = new Judge(0.05);
    alone.look(5, new Map([['weak', weak]]));
    const noise = Array.from({ length: 200 }, (_, i) => [`noise ${i}`, evidence([1, -1, 1, -1, 0])] as const);
    const among = new Judge(0.05);
    among.look(5, new Map([['weak', weak], ...noise]));
    expect(alone.decisionOf('weak')?.verdict).toBe('worse');
    expect(among.decisionOf('weak')).toBeUndefined();
  });

  test('asks more at each further look', () => {
    const verdictAfter = (looks: number) => {
      const judge = new Judge(0.05);
      for (let look = 1; look < looks; look++) judge.look(look, new Map());
      judge.look(looks, new Map([['metric', evidence([0.5, 0.62, 0.41, 0.55, 0.47])]]));
      return judge.decisionOf('metric')?.verdict;
    };
    expect(verdictAfter(1)).toBe('worse');
    expect(verdictAfter(12)).toBeUndefined();
  });

  test('gives the last look all that is left', () => {
    const weak = new Map([['metric', evidence([0.5, 0.64, 0.39, 0.55, 0.47])]]);
    const verdicts = [false, true].map((last) => {
      const judge = new Judge(0.0005);
      judge.look(5, weak, last);
      return judge.decisionOf('metric')?.verdict;
    });
    expect(verdicts).toEqual([undefined, 'worse']);
  });

  test('never says that a metric is worse where no round was', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -5, max: 0, noNaN: true }), { maxLength: 20 }), (harms) => {
        const judge = new Judge(0.5);
        judge.look(harms.length, new Map([['metric', evidence(harms)]]));
        expect(judge.decisionOf('metric')?.verdict).not.toBe('worse');
      }),
    );
  });

  test('is wrong about noise no more often than it may be, though it looks four times', () => {
    const random = seededRandom(7);
    /** Noise on the very edge of the smallest effect, where a wrong claim is likeliest. */
    const harm = () => 0.05 + 0.1 * (random() + random() + random() - 1.5);
    const checks = 2000;
    let wrong = 0;
    for (let check = 0; check < checks; check++) {
      const judge = new Judge(0.05);
      const metrics = Array.from({ length: 6 }, () => [] as number[]);
      for (let round = 1; round <= 16; round++) {
        for (const harms of metrics) harms.push(harm());
        if (isLookDue(round)) {
          judge.look(
            round,
            new Map(metrics.map((harms, index) => [`${index}`, evidence(harms)])),
            round === 16,
          );
        }
      }
      if (metrics.some((_, index) => judge.decisionOf(`${index}`) !== undefined)) wrong += 1;
    }
    // 0.05 may be; three standard errors above it would be 0.065.
    expect(wrong / checks).toBeLessThan(0.065);
    expect(wrong).toBeGreaterThan(0);
  });
});
