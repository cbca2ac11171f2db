import { Redis } from 'ioredis';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisServer, skipWithoutRedis } from './harness/redis.test.kit.ts';
import { resultSchema, type Trial } from './harness/result.ts';
import { makeScratch, type Scratch } from './run.test.kit.ts';

let scratch: Scratch;
const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  scratch.remove();
});

async function redisServer(...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  cleanups.push(() => server.kill());
  return server;
}

const patience = { timeout: 20_000, interval: 20 };
/** A service that does not die: what fails here is Redis. */
const healthy = ['--pattern', 'baseline', '--target', 'healthy', '--rate', '100', '--warmup', '1s'];

/** 100 requests/s, one client, far more than it may: what happens to Redis shows in who is let in. */
async function trialWith(
  server: RedisServer,
  fail: 'open' | 'closed',
  happens: () => Promise<void>,
): Promise<Trial> {
  const limits = ['--rate-limit', 'sliding-window:limit=20,windowMs=1s', '--redis', server.address];
  const run = scratch.start(...healthy, '--duration', '6s', ...limits, '--rate-limit-fail', fail, '--json');
  await run.saw(/measuring/);
  await happens();
  const { code, stdout } = await run.ended;
  // 3: measured, but this host may be too busy at the moment for a valid trial.
  expect([0, 3]).toContain(code);
  const trial = resultSchema.parse(JSON.parse(stdout)).stacks[0]?.trials[0];
  if (trial === undefined) throw new Error('nothing was measured');
  const { orders, payments } = trial;
  expect(orders.offered).toBe(orders.confirmed + orders.failed + orders.skipped + orders.inFlightAtEnd);
  expect(payments).toMatchObject({ charged: orders.confirmed, phantoms: 0, lost: 0 });
  return trial;
}

/** Waits until the gateways have asked it so many times more. */
async function asked(server: RedisServer, times: number): Promise<void> {
  const redis = new Redis(server.address);
  const count = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
  try {
    const before = await count();
    await expect.poll(count, patience).toBeGreaterThanOrEqual(before + times);
  } finally {
    redis.disconnect();
  }
}

/** Events belong to the window in which they happen, failures to that in which they were due: a few are at its edges. */
function expectSameButEdges(events = 0, failures: number): void {
  expect(events).toBeGreaterThan(failures * 0.95);
  expect(events).toBeLessThan(failures * 1.05);
}

describe.skipIf(skipWithoutRedis)('run with a redis-server', () => {
  it('limits a client to what it may send', { timeout: 60_000 }, async () => {
    const { orders, bystander, users, events } = await trialWith(await redisServer(), 'open', () =>
      Promise.resolve(),
    );
    // On a busy machine Redis may be late for some of them; they are let in.
    const counted =
      orders.confirmed +
      bystander.confirmed +
      Number(users?.confirmed) -
      (events['limiter-failed-open'] ?? 0);
    // 20 in any second: in six of them no more than 7 windows' worth.
    expect(counted).toBeGreaterThanOrEqual(60);
    expect(counted).toBeLessThanOrEqual(140);
    expect(orders.byOutcome).toEqual({ 'rate-limited': orders.failed });
    expectSameButEdges(events['rate-limited'], orders.failed + bystander.failed + Number(users?.failed));
  });

  it('lets traffic through while Redis is dead, counts it, and limits again when Redis is back', {
    timeout: 60_000,
  }, async () => {
    const server = await redisServer();
    const { orders, bystander, users, events } = await trialWith(server, 'open', async () => {
      await asked(server, 150);
      await server.kill();
      await sleep(1500);
      await server.start();
    });
    const open = events['limiter-failed-open'] ?? 0;
    expect(open).toBeGreaterThan(50);
    expect(orders.byOutcome).toEqual({ 'rate-limited': orders.failed });
    // Before and after: some 4.5 s with 20 in each, and one fresh start.
    const counted = orders.confirmed + bystander.confirmed + Number(users?.confirmed) - open;
    expect(counted).toBeGreaterThanOrEqual(60);
    expect(counted).toBeLessThanOrEqual(140);
    expectSameButEdges(events['rate-limited'], orders.failed + bystander.failed + Number(users?.failed));
  });

  it('turns everybody away while Redis hangs, where it fails closed', { timeout: 60_000 }, async () => {
    const server = await redisServer();
    const { orders, bystander, users, events } = await trialWith(server, 'closed', async () => {
      await asked(server, 150);
      server.hang();
      await sleep(1500);
      server.resume();
    });
    const closed = events['limiter-failed-closed'] ?? 0;
    expect(closed).toBeGreaterThan(50);
    expectSameButEdges(
      closed,
      [orders, bystander, users].reduce((sum, one) => sum + (one?.byOutcome.shed ?? 0), 0),
    );
    expect(orders.confirmed + bystander.confirmed + Number(users?.confirmed)).toBeLessThanOrEqual(140);
  });

  it('refuses a Redis that needs a password in one line, before anything is written', async () => {
    const { port } = await redisServer('--requirepass', 'right');
    const address = `redis://:wr0ng@127.0.0.1:${port}`;
    const run = scratch.start(...healthy, '--rate-limit', 'token-bucket', '--redis', address);
    expect(await run.ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `wavetank: --redis redis://:***@127.0.0.1:${port}: the server does not accept this user and password\n`,
    });
    expect(existsSync(scratch.out)).toBe(false);
  });
});

it('refuses a Redis that is not there in one line, before anything is written', async () => {
  const run = scratch.start(...healthy, '--rate-limit', 'token-bucket', '--redis', 'redis://127.0.0.1:1');
  const { code, stdout, stderr } = await run.ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^wavetank: --redis redis:\/\/127\.0\.0\.1:1: nothing listens there .*\n$/);
  expect(existsSync(scratch.out)).toBe(false);
});
