import { describe, expect, it } from 'vitest';
import { UsageError } from '../patterns/usage-error.ts';
import { describeTargets, faultPlan, parseTarget, targetNames, targetText } from './target-options.ts';

describe('parseTarget', () => {
  it('gives what is not named its default', () => {
    expect(parseTarget('kill')).toEqual({ name: 'kill', options: { everyMs: 3000 } });
    expect(parseTarget('flap:downMs=2s,how=hang')).toEqual({
      name: 'flap',
      options: { upMs: 1000, downMs: 2000, how: 'hang' },
    });
  });

  it('reads back what it writes, for every target', () => {
    for (const name of targetNames) expect(parseTarget(targetText(faultPlan(name)))).toEqual(faultPlan(name));
  });

  it.each([
    ['', /no target ""; allowed: healthy, leaky, slow/],
    ['constructor', /no target "constructor"/],
    ['kill:', /"" is no setting of kill; allowed: option=value/],
    ['kill:everyMs', /"everyMs" is no setting of kill/],
    ['kill:nope=1', /kill has no option "nope"; allowed: everyMs/],
    ['kill:toString=1', /kill has no option "toString"/],
    ['healthy:share=1', /healthy has no option "share"; allowed: none/],
    ['kill:everyMs=soon', /kill.everyMs is "soon"; allowed: 100 to 3600000 ms/],
    ['kill:everyMs=1', /kill.everyMs is "1"/],
    ['flaky:share=1.5', /flaky.share is "1.5"; allowed: 0 to 1/],
    ['flap:how=slowly', /flap.how is "slowly"; allowed: refuse, hang/],
    ['kill:everyMs=1s,everyMs=2s', /kill.everyMs comes twice/],
    ['kill\nill', /no target "kill\\nill"/],
  ])('refuses %j in one line', (text, message) => {
    expect(() => parseTarget(text)).toThrow(UsageError);
    expect(() => parseTarget(text)).toThrow(message);
    expect(() => parseTarget(text)).not.toThrow(/\n/);
  });
});

it('describes every target with its options', () => {
  const described = describeTargets();
  expect(described.map(({ name }) => name)).toEqual(targetNames);
  const forMs = described.find(({ name }) => name === 'hang')?.options.find(({ name }) => name === 'forMs');
  expect(forMs).toMatchObject({ default: 'off', allowed: '1 to 3600000 ms, or off' });
});
