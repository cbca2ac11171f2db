import { describe, expect, test } from 'vitest';
import { sampleTrial } from '../trial.test.kit.ts';
import type { ScenarioName } from './check-metrics.ts';
import { measurePair, orderOf } from './measure-pair.ts';
import type { SideName, Sides } from './sides.ts';

const side = (label: string) => ({ label, commit: null });

/** Sides whose trials do as they are told; `log` has the begin and end of each. */
function fakeSides(measure: Sides['measure'], more: Partial<Sides> = {}) {
  const log: string[] = [];
  const sides: Sides = {
    a: side('old'),
    b: side('new'),
    aMeasuredEarlier: false,
    pattern: 'breaker',
    flagsOf: () => '',
    scenarios: ['healthy', 'failing'],
    roundsMax: Infinity,
    warnings: [],
    measure: async (...args) => {
      const [name] = args;
      log.push(`>${name}`);
      await Promise.resolve();
      return measure(...args).finally(() => log.push(`<${name}`));
    },
    close: () => undefined,
    ...more,
  };
  return { sides, log };
}

const trial = sampleTrial(1);
const meets: Sides['measure'] = async (_name, _scenario, _round, _interrupt, together) => {
  await together?.arrive();
  return trial;
};

function pairFrom(sides: Sides, scenario: ScenarioName, round = 1) {
  const heard: string[] = [];
  const plan = { scenario, round, limits: [] };
  const hooks = { interrupt: new AbortController().signal, onTrial: (what: string) => heard.push(what) };
  return { measured: measurePair(sides, plan, hooks), heard };
}

test('each side is first as often as the other, and second as well', () => {
  const rounds = [1, 2, 3, 4, 5].map((round) => orderOf(round).join(''));
  expect(rounds).toEqual(['ab', 'ba', 'ba', 'ab', 'ab']);
});

describe('a pair', () => {
  test('of a healthy service is measured at once, and begins together', async () => {
    const { sides, log } = fakeSides(meets);
    const { measured, heard } = pairFrom(sides, 'healthy', 2);
    expect((await measured)?.discarded).toBeNull();
    expect(log.slice(0, 2)).toEqual(['>b', '>a']);
    expect(heard).toEqual(['healthy, both sides', 'healthy, both sides']);
  });

  test('of a failing service is measured one after the other', async () => {
    const { sides, log } = fakeSides(meets);
    const { measured, heard } = pairFrom(sides, 'failing', 2);
    expect((await measured)?.discarded).toBeNull();
    expect(log).toEqual(['>b', '<b', '>a', '<a']);
    expect(heard).toEqual(['failing, new', 'failing, old']);
  });

  test('that was to begin together and did not does not count', async () => {
    const { sides } = fakeSides((name, _scenario, _round, _interrupt, together) => {
      if (name === 'a') void together?.arrive();
      else together?.leave();
      return Promise.resolve(trial);
    });
    const { measured } = pairFrom(sides, 'healthy');
    expect((await measured)?.discarded).toBe('the two trials did not begin together');
  });

  test('with trials of earlier does not wait for them', async () => {
    const { sides, log } = fakeSides(meets, { aMeasuredEarlier: true });
    expect((await pairFrom(sides, 'healthy').measured)?.discarded).toBeNull();
    expect(log).toEqual(['>a', '<a', '>b', '<b']);
  });

  test('has one side where only limits are checked', async () => {
    const { sides, log } = fakeSides(meets, { a: null });
    expect((await pairFrom(sides, 'failing').measured)?.a).toBeNull();
    expect(log).toEqual(['>b', '<b']);
  });

  test.each<[SideName]>([['a'], ['b']])('is none when side %s is interrupted', async (interrupted) => {
    const { sides } = fakeSides((name) => Promise.resolve(name === interrupted ? null : trial));
    expect(await pairFrom(sides, 'failing').measured).toBeNull();
  });

  test('that one side breaks waits for the other, and says why', async () => {
    const { sides, log } = fakeSides((name) =>
      name === 'a' ? Promise.reject(new Error('old: broken')) : Promise.resolve(trial),
    );
    await expect(pairFrom(sides, 'healthy').measured).rejects.toThrow('old: broken');
    expect(log.toSorted()).toEqual(['<a', '<b', '>a', '>b']);
  });
});
