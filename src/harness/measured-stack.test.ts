import { describe, expect, it } from 'vitest';
import { UsageError } from '../patterns/usage-error.ts';
import { makerText, parseStackList, prepareStacks } from './measured-stack.ts';
import { peerVersions } from './peers/peer-stack.ts';

function refusal(list: string, ...settings: string[]): string {
  try {
    parseStackList(list, settings);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return expect.fail('nothing was refused');
}

describe('parseStackList', () => {
  it('gives a library the options of ours that it has too, as they are set', () => {
    const [ours, cockatiel, opossum] = parseStackList('breaker,cockatiel,opossum:breaker+bulkhead', [
      'breaker.openMs=2s',
      'breaker.slowMs=off',
    ]);
    expect(ours?.layers[0]?.options).toMatchObject({ openMs: 2000, slowMs: 'off' });
    const breaker = { windowMs: 500, failureRate: 0.1, callsMin: 10, openMs: 2000 };
    expect(cockatiel).toMatchObject({ name: 'cockatiel', peer: 'cockatiel' });
    expect(cockatiel?.layers).toEqual([
      { name: 'breaker', options: breaker },
      { name: 'timeout', options: { limitMs: 3000 } },
    ]);
    expect(opossum?.layers).toEqual([
      { name: 'breaker', options: breaker },
      { name: 'bulkhead', options: { concurrentMax: 10 } },
      { name: 'timeout', options: { limitMs: 3000 } },
    ]);
  });

  it('keeps the name as it was written', () => {
    const names = 'cockatiel:breaker+timeout,cockatiel+shared-pools,opossum,./a.ts,/b/c.mjs,retry';
    expect(parseStackList(names, []).map(({ name }) => name)).toEqual(names.split(','));
    expect(parseStackList('cockatiel+shared-pools', [])[0]?.pools.shared).toBe(true);
  });

  it('has nothing but the attempt timeout behind a module', () => {
    const [stack] = parseStackList('./my-stack.ts', ['timeout.limitMs=1s']);
    expect(stack).toMatchObject({
      file: './my-stack.ts',
      layers: [{ name: 'timeout', options: { limitMs: 1000 } }],
    });
  });

  it.each([
    ['cockatiel:retry-blind', [], 'cockatiel has no retry-blind; allowed'],
    ['opossum:retry+breaker', [], 'opossum has no retry; allowed'],
    ['opossum:bulkhead', [], 'opossum is a breaker'],
    ['opossum:timeout', [], 'opossum is a breaker'],
    ['cockatiel+retry', [], 'cockatiel+retry mixes a library with layers; allowed: cockatiel:retry'],
    [
      'cockatiel:nothing',
      [],
      'cockatiel has no nothing; allowed in cockatiel:nothing: retry, breaker, bulkhead, timeout',
    ],
    ['cockatiel,cockatiel', [], 'the stack cockatiel comes twice'],
    ['cockatiels', [], 'there is no layer or stack "cockatiels"'],
    ['cockatiel', ['breaker.slowMs=1s'], 'breaker.slowMs=1s has no effect: cockatiel has no such option'],
    ['opossum', ['timeout.abort=false'], 'timeout.abort=false has no effect: opossum has no such option'],
    ['./a.ts', ['breaker.openMs=1s'], 'breaker.openMs=1s has no effect: no stack has breaker'],
  ])('refuses %s with %j', (list, settings, message) => {
    expect(refusal(list, ...settings)).toContain(message);
  });
});

describe('prepareStacks', () => {
  it('says whose layers they are', async () => {
    const stacks = await prepareStacks(parseStackList('breaker,cockatiel,opossum', []));
    expect(stacks.map(makerText)).toEqual([
      'wavetank',
      `cockatiel ${peerVersions.cockatiel}`,
      `opossum ${peerVersions.opossum}`,
    ]);
  });

  it('refuses a module that does not exist', async () => {
    await expect(prepareStacks(parseStackList('./not-there.ts', []))).rejects.toThrow(
      /^\.\/not-there\.ts does not exist; --pattern takes a file/,
    );
  });
});
