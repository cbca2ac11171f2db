import { Redis } from 'ioredis';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisServer, skipWithoutRedis } from '../harness/redis.test.kit.ts';
import { realClock } from '../harness/time.ts';
import { parseRateLimits } from '../patterns/rate-limit-policy.ts';
import { type RateDecision, RateLimiter } from '../patterns/rate-limiter.ts';
import { SimClock } from '../patterns/sim-clock.ts';
import { RedisRateLimiter } from './redis-rate-limiter.ts';

const patience = { timeout: 10_000, interval: 10 };
let prefixes = 0;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Patient unless told otherwise: on a busy machine an answer may take longer than a gateway would wait. */
async function limiterOn(
  server: Pick<RedisServer, 'address'>,
  limits: string,
  keyPrefix = `test-${++prefixes}:`,
  { clock = realClock, patienceMs = 10_000 } = {},
): Promise<RedisRateLimiter> {
  const policies = parseRateLimits(limits);
  const { address } = server;
  const limiter = new RedisRateLimiter({ address, policies, keyPrefix, clock, patienceMs });
  cleanups.push(() => {
    limiter.close();
  });
  await limiter.connect(5000);
  return limiter;
}

function decisions(limiter: RedisRateLimiter, count: number): Promise<(RateDecision | undefined)[]> {
  return Promise.all(Array.from({ length: count }, () => limiter.decide('a')));
}

function tally(
  all: readonly (RateDecision | undefined)[],
): Record<'admitted' | 'refused' | 'undecided', number> {
  const count = (is: (one: RateDecision | undefined) => boolean) => all.filter(is).length;
  return {
    admitted: count((one) => one?.admitted === true),
    refused: count((one) => one?.admitted === false),
    undecided: count((one) => one === undefined),
  };
}

describe.skipIf(skipWithoutRedis)('RedisRateLimiter, on a redis-server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.kill());

  const limit = fc.oneof(
    fc
      .record({ ratePerS: fc.integer({ min: 1, max: 300 }), burst: fc.integer({ min: 1, max: 8 }) })
      .map(({ ratePerS, burst }) => `token-bucket:ratePerS=${ratePerS},burst=${burst}`),
    fc
      .record({ limit: fc.integer({ min: 1, max: 8 }), windowMs: fc.integer({ min: 1, max: 400 }) })
      .map((one) => `sliding-window:limit=${one.limit},windowMs=${one.windowMs}`),
  );
  const request = fc.record({
    // Mostly forward by fractions of a millisecond and more, now and then back.
    stepMs: fc.oneof(
      { weight: 9, arbitrary: fc.double({ min: 0, max: 80, noNaN: true }) },
      { weight: 1, arbitrary: fc.double({ min: -50, max: 0, noNaN: true }) },
    ),
    client: fc.constantFrom('a', 'b'),
  });

  it('decides as the one in memory does, to the last bit, on any traffic', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(limit, { minLength: 1, maxLength: 3 }),
        fc.array(request, { maxLength: 40 }),
        async (limits, requests) => {
          const text = limits.join(';');
          const here = new RateLimiter(parseRateLimits(text));
          const there = await limiterOn(server, text);
          let now = 1_800_000_000_000;
          const pairs = requests.map(({ stepMs, client }) => {
            now += stepMs;
            return [here.decide(client, now), there.decide(client, now)] as const;
          });
          for (const [mine, theirs] of pairs) expect(await theirs).toEqual(mine);
          there.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shares the counts of all gateways that have the same prefix', async () => {
    const limits = 'sliding-window:limit=10,windowMs=60s';
    const [one, other] = [
      await limiterOn(server, limits, 'shared:'),
      await limiterOn(server, limits, 'shared:'),
    ];
    const all = await Promise.all([decisions(one, 8), decisions(other, 8)]);
    expect(tally(all.flat())).toEqual({ admitted: 10, refused: 6, undecided: 0 });
  });

  it('leaves nothing in Redis that does not go away by itself, and no API key to read', async () => {
    const limiter = await limiterOn(server, 'token-bucket;sliding-window', 'left:');
    await limiter.decide('key s3cret');
    const redis = new Redis(server.address);
    cleanups.push(() => redis.quit());
    const keys = await redis.keys('left:*');
    expect(keys).toHaveLength(2);
    expect(keys.join()).not.toContain('s3cret');
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  it('does not count what Redis comes to after the moment until which it was waited for', async () => {
    // A clock that says that Redis's answer of a moment ago is a minute old: everything is late.
    let jumpMs = 0;
    const clock = { ...realClock, now: () => realClock.now() - jumpMs };
    const limiter = await limiterOn(server, 'sliding-window:limit=5,windowMs=60s', 'late:', { clock });
    jumpMs = 60_000;
    expect(await limiter.decide('a')).toBeUndefined();
    // By that answer it has learned what Redis's clock shows.
    expect((await limiter.decide('a'))?.quotas).toMatchObject([{ remaining: 4 }]);
  });
});

describe.skipIf(skipWithoutRedis)('RedisRateLimiter, when its redis-server fails', () => {
  const limits = 'sliding-window:limit=50,windowMs=600s';

  async function failing(): Promise<{
    server: RedisServer;
    limiter: RedisRateLimiter;
    hasty: RedisRateLimiter;
  }> {
    const server = await RedisServer.start();
    cleanups.push(() => server.kill());
    const limiter = await limiterOn(server, limits, 'same:');
    return { server, limiter, hasty: await limiterOn(server, limits, 'same:', { patienceMs: 15 }) };
  }

  it('decides nothing while Redis hangs, and nothing of that is counted when it goes on', async () => {
    const { server, limiter, hasty } = await failing();
    expect(tally(await decisions(limiter, 10))).toMatchObject({ admitted: 10 });
    server.hang();
    expect(tally(await decisions(hasty, 30))).toMatchObject({ undecided: 30 });
    // By now it knows, and does not even ask.
    expect(hasty.available).toBe(false);
    expect(tally(await decisions(hasty, 30))).toMatchObject({ undecided: 30 });
    server.resume();
    await expect.poll(() => hasty.available, patience).toBe(true);
    expect(tally(await decisions(limiter, 100))).toEqual({ admitted: 40, refused: 60, undecided: 0 });
  });

  it('waits exactly as long as it may for a Redis that hangs, and leaves no timer', async () => {
    const { server } = await failing();
    const clock = new SimClock();
    const limiter = await limiterOn(server, limits, 'sim:', { clock, patienceMs: 15 });
    server.hang();
    const settled: unknown[] = [];
    void limiter.decide('a').then((decision) => settled.push(decision));
    await clock.advance(14.9);
    expect(settled).toEqual([]);
    await clock.advance(0.1);
    await expect.poll(() => settled, patience).toEqual([undefined]);
    expect(clock.pending).toBe(0);
  });

  it('finds its way back after a silence that outlasts the connection', async () => {
    const { server, hasty } = await failing();
    server.hang();
    expect(tally(await decisions(hasty, 30))).toMatchObject({ undecided: 30 });
    // Longer than any one connection is waited for.
    await sleep(2500);
    server.resume();
    await expect.poll(async () => (await hasty.decide('a'))?.admitted, patience).toBe(true);
  });

  it('decides nothing while Redis is dead, and holds the limits again when it is back', async () => {
    const { server, limiter } = await failing();
    await decisions(limiter, 10);
    await server.kill();
    expect(tally(await decisions(limiter, 30))).toMatchObject({ undecided: 30 });
    await server.start();
    await expect.poll(() => limiter.available, patience).toBe(true);
    // What Redis had in memory died with it; what was let in meanwhile is not made up for.
    expect(tally(await decisions(limiter, 100))).toEqual({ admitted: 50, refused: 50, undecided: 0 });
  });

  it('settles every decision that Redis takes with it when it dies in the middle', async () => {
    const { server, limiter } = await failing();
    server.hang();
    const asked = decisions(limiter, 30);
    await server.kill();
    expect(tally(await asked)).toMatchObject({ undecided: 30 });
  });

  it('decides nothing when Redis answers with an error', async () => {
    const { limiter, server } = await failing();
    const redis = new Redis(server.address);
    cleanups.push(() => {
      redis.disconnect();
    });
    // A Redis without memory left refuses to write.
    await redis.config('SET', 'maxmemory', '1');
    expect(tally(await decisions(limiter, 5))).toMatchObject({ undecided: 5 });
    await redis.config('SET', 'maxmemory', '0');
    expect(tally(await decisions(limiter, 60))).toEqual({ admitted: 50, refused: 10, undecided: 0 });
  });

  it('tries again where it was not allowed to load the script, until it is', async () => {
    const { server } = await failing();
    const redis = new Redis(server.address);
    cleanups.push(() => {
      redis.disconnect();
    });
    await redis.acl('SETUSER', 'meek', 'on', '>right', '~*', '+@all', '-@scripting');
    const limiter = new RedisRateLimiter({
      address: `redis://meek:right@127.0.0.1:${server.port}`,
      policies: parseRateLimits(limits),
      keyPrefix: '',
      clock: realClock,
      patienceMs: 10_000,
    });
    cleanups.push(() => {
      limiter.close();
    });
    const refused = async () =>
      (await redis.info('commandstats')).match(/cmdstat_script.*rejected_calls=(\d+)/)?.[1];
    await expect.poll(async () => Number(await refused()), patience).toBeGreaterThan(1);
    expect(limiter.available).toBe(false);
    await redis.acl('SETUSER', 'meek', '+@scripting');
    await limiter.connect(5000);
    expect((await limiter.decide('a'))?.admitted).toBe(true);
  });

  it('waits for a Redis that is not there yet no longer than it was told to', async () => {
    const { server } = await failing();
    await server.kill();
    const limiter = new RedisRateLimiter({
      address: server.address,
      policies: parseRateLimits(limits),
      keyPrefix: '',
      clock: realClock,
      patienceMs: 10_000,
    });
    cleanups.push(() => {
      limiter.close();
    });
    await limiter.connect(50);
    expect(await limiter.decide('a')).toBeUndefined();
    await server.start();
    await expect.poll(() => limiter.available, patience).toBe(true);
    expect((await limiter.decide('a'))?.admitted).toBe(true);
  });
});
