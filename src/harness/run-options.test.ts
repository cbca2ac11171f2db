import { describe, expect, it } from 'vitest';
import { presets } from './presets.ts';
import { parseRunOptions } from './run-options.ts';

function optionsOf(...argv: string[]) {
  const request = parseRunOptions(argv);
  if (request.kind !== 'run') throw new Error(request.text);
  return request.options;
}

describe('parseRunOptions', () => {
  it('measures the breaker in an open loop unless told otherwise', () => {
    const options = optionsOf();
    expect(options.stacks.map((stack) => stack.name)).toEqual(['breaker']);
    expect(options.load).toMatchObject({ kind: 'open', arrivals: 'constant' });
    expect(options.durationMs).toBe(20_000);
  });

  it('takes users instead of a rate', () => {
    expect(optionsOf('--vus', '10').load).toEqual({ kind: 'closed', vus: 10, thinkMs: 1000 });
  });

  it('sets options of layers', () => {
    const [stack] = optionsOf(
      '--pattern',
      'retry+breaker',
      '--set',
      'retry.retriesMax=5',
      '--set',
      'breaker.openMs=2s',
    ).stacks;
    expect(
      stack?.layers.map((layer) => [layer.name, layer.options.retriesMax ?? layer.options.openMs]),
    ).toEqual([
      ['retry', 5],
      ['breaker', 2000],
      ['timeout', undefined],
    ]);
  });

  it('reads the heap in MB, with the unit or without', () => {
    expect(optionsOf('--heap', '32').target).toMatchObject({ heapBytes: 32 * 1024 * 1024 });
    expect(optionsOf('--heap', '32MB').target).toMatchObject({ heapBytes: 32 * 1024 * 1024 });
  });

  it("knows Docker's restart delay", () => {
    expect(optionsOf('--restart-delay', 'docker').target).toHaveProperty(
      'restart',
      expect.objectContaining({
        kind: 'doubling',
        firstMs: 100,
      }),
    );
  });

  describe('--preset article', () => {
    it('is four stages for ten users who think for 1 s, and a leak of Buffers up to 256 MB', () => {
      const { stacks, load, target, durationMs, given } = optionsOf('--preset', 'article');
      expect(stacks.map((stack) => stack.name)).toEqual([
        'baseline',
        'retry',
        'retry+breaker',
        'retry+breaker+bulkhead',
      ]);
      expect(load).toEqual({ kind: 'closed', vus: 10, thinkMs: 1000 });
      expect(target).toMatchObject({ leak: 'rss', memoryLimitBytes: 256 * 1024 * 1024 });
      expect(durationMs).toBe(70_000);
      expect(given.preset).toBe('article');
    });

    it('yields to the flags beside it, before or behind, and keeps the rest', () => {
      const { load, target, durationMs } = optionsOf(
        ...['--vus', '20', '--preset', 'article', '--duration', '20s', '--swap', '0'],
      );
      expect(load).toEqual({ kind: 'closed', vus: 20, thinkMs: 1000 });
      expect(durationMs).toBe(20_000);
      expect(target).toMatchObject({ leak: 'rss', swapBytes: 0 });
    });

    it("does without the container's swap where the heap leaks", () => {
      const { target } = optionsOf('--preset', 'article', '--leak-kind', 'heap');
      expect(target).toMatchObject({ leak: 'heap', swapBytes: 0 });
    });

    it('becomes an open loop by a rate', () => {
      const { load, given } = optionsOf('--preset', 'article', '--rate', '10');
      expect(load).toEqual({ kind: 'open', ratePerS: 10, arrivals: 'constant' });
      expect(given.vus).toBeUndefined();
    });

    it('leaves out its settings of layers that no stack has', () => {
      expect(optionsOf('--preset', 'article', '--pattern', 'baseline,retry').given.set).toEqual([]);
    });

    it('yields to a setting, and keeps its others', () => {
      const [stack] = optionsOf(
        ...['--preset', 'article', '--pattern', 'breaker', '--set', 'breaker.openMs=9s'],
      ).stacks;
      expect(stack?.layers[0]?.options).toMatchObject({ openMs: 9000, probesMax: 1 });
    });

    it('says in the result what every option was', () => {
      const preset = optionsOf('--preset', 'article');
      const written = optionsOf(...presets.article.flags);
      expect({ ...written.given, preset: 'article' }).toEqual(preset.given);
    });
  });

  it("measures the first article's four stages by one word", () => {
    expect(optionsOf('--pattern', 'article').stacks.map((stack) => stack.name)).toEqual([
      'baseline',
      'retry',
      'retry+breaker',
      'retry+breaker+bulkhead',
    ]);
  });

  it('measures every named stack by one word, each once', () => {
    const names = optionsOf('--pattern', 'all').stacks.map((stack) => stack.name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(expect.arrayContaining(['baseline', 'retry-blind', 'breaker-count', 'bulkhead']));
  });

  it('keeps the SLA with the options of the result, 200 ms unless told otherwise', () => {
    expect(optionsOf().given).toMatchObject({ slaMs: 200 });
    expect(optionsOf('--sla', '1.5s').given).toMatchObject({ slaMs: 1500 });
  });

  it('leaks only on the leaky target, and keeps the target with the options of the result', () => {
    expect(optionsOf().target).toMatchObject({ fault: { name: 'leaky' }, leakBytes: 65_536 });
    const { target, given } = optionsOf('--target', 'kill:everyMs=2s', '--require-key');
    expect(target).toMatchObject({
      fault: { name: 'kill', options: { everyMs: 2000 } },
      keyRequired: true,
      leakBytes: 0,
      idleLeakBytesPerS: 0,
    });
    expect(given).toMatchObject({ target: 'kill:everyMs=2000', requireKey: true, leakBytes: 0 });
  });

  it('refuses one port for both, and names both flags', () => {
    expect(() => optionsOf('--gateway-port', '8080', '--target-port', '8080')).toThrow(
      /--gateway-port and --target-port are both 8080/,
    );
  });

  it('turns nobody away unless told otherwise', () => {
    expect([optionsOf().rateLimit, optionsOf().given.rateLimit]).toEqual([null, null]);
  });

  it('counts for rate limits in memory, or in Redis, which fails open unless told otherwise', () => {
    const limits = ['--rate-limit', 'token-bucket:burst=5'];
    const policies = [{ kind: 'token-bucket', ratePerS: 100, burst: 5 }];
    expect(optionsOf(...limits).rateLimit).toEqual({ policies, redis: null });
    const redis = ['--redis', 'redis://127.0.0.1:6379'];
    expect(optionsOf(...limits, ...redis).rateLimit?.redis).toMatchObject({ failOpen: true });
    expect(optionsOf(...limits, ...redis, '--rate-limit-fail', 'closed').rateLimit?.redis).toMatchObject({
      failOpen: false,
    });
  });

  it("keeps Redis's password out of the result", () => {
    const { given } = optionsOf('--rate-limit', 'token-bucket', '--redis', 'redis://me:s3cret@h:1');
    expect(given).toMatchObject({
      rateLimit: 'token-bucket',
      redis: 'redis://me:***@h:1',
      rateLimitFail: 'open',
    });
  });

  it.each<[string[], RegExp]>([
    [['--target', 'nope'], /--target .*no target "nope"; allowed: healthy, leaky/],
    [['--target', 'kill:often=1'], /--target .*kill has no option "often"; allowed: everyMs/],
    [['--target', 'healthy', '--leak', '1MB'], /--leak has no effect on --target healthy/],
    [['--sla', '0'], /--sla .*allowed: a duration from 1ms to 2m/],
    [['--sla', 'fast'], /--sla .*allowed: a duration/],
    [['--pattern', 'nope'], /"nope"; allowed: .*breaker/],
    [['--pattern', ''], /allowed/],
    [['--set', 'breaker.nope=1'], /no option "nope"; allowed: windowMs/],
    [['--set', 'retry.baseMs=1'], /no effect/],
    [['--rate', '0'], /--rate .*allowed: a number from 1 to 50000/],
    [['--duration', '20'], /--duration .*allowed: a duration from 1s/],
    [['--arrivals', 'bursts'], /--arrivals .*constant, poisson/],
    [['--down', 'up'], /--down .*hang, refuse/],
    [['--restart-delay', 'soon'], /--restart-delay .*allowed: a duration .*; or docker/],
    [['--preset', 'nope'], /--preset .*article/],
    [['--swap', '16MB'], /--swap .*--leak-kind rss/],
    [['--swap-rate', '1MB'], /--swap-rate has no effect without swap: give --swap too/],
    [['--leak-kind', 'rss', '--swap', '0', '--swap-rate', '1MB'], /--swap-rate has no effect/],
    [['--preset', 'article', '--swap', '0', '--swap-rate', '1MB'], /--swap-rate has no effect/],
    [['--memory-limit', '128MB'], /--memory-limit has no effect on a leak of the heap.*--leak-kind rss/],
    [['--preset', 'article', '--leak-kind', 'heap', '--swap', '1MB'], /--swap .*--leak-kind rss/],
    [['--swap-rate', '0'], /--swap-rate .*allowed: a size from 1 KB/],
    [['--preset', 'article', '--pattern', 'retry', '--set', 'breaker.openMs=1s'], /no effect/],
    [['--vus', '10', '--rate', '5'], /--rate belongs to an open loop/],
    [['--think', '1s'], /--think belongs to a closed loop/],
    [['--seed', '-1'], /--seed .*allowed: a whole number/],
    [['--rate-limit', 'leaky'], /--rate-limit .*"leaky"; allowed: token-bucket, sliding-window/],
    [['--rate-limit', 'token-bucket:burst=0'], /token-bucket.burst is "0"; allowed: a whole number from 1/],
    [
      ['--rate-limit', 'token-bucket', '--rate-limit', 'sliding-window'],
      /--rate-limit .*given twice; allowed: once, limits behind each other: 'token-bucket;sliding-window'/,
    ],
    [['--rate-limit', 'token-bucket;token-bucket:burst=20'], /--rate-limit .*the same token-bucket twice/],
    [['--redis', 'redis://127.0.0.1'], /--redis .*give --rate-limit too/],
    [['--rate-limit-fail', 'closed'], /no effect without limits/],
    [['--rate-limit', 'token-bucket', '--rate-limit-fail', 'closed'], /give --redis too/],
    [['--rate-limit', 'token-bucket', '--redis', 'localhost:6379'], /--redis .*allowed: redis:/],
    [['--nope'], /--nope.*allowed: .*--pattern/],
    [['pattern'], /too many arguments.*allowed: .*--pattern/],
    [['--rate'], /--rate/],
  ])('refuses %j in one line', (argv, message) => {
    expect(() => parseRunOptions(argv)).toThrow(message);
    expect(() => parseRunOptions(argv)).not.toThrow(/\n/);
  });

  it.each([
    ['--help', '--pattern'],
    ['--list', 'breaker.openMs'],
    ['--list', '--vus 10 --think 1s'],
    ['--help', '--preset <name>'],
    ['--list', '--target kill:everyMs=3000'],
    ['--list', '--target hang:forMs=off  (1 to 3600000 ms, or off)'],
    ['--list', '--rate-limit sliding-window:windowMs=10000'],
  ])('prints a text for %s instead of running', (flag, expected) => {
    const request = parseRunOptions([flag]);
    expect(request.kind === 'print' && request.text).toContain(expected);
  });
});
