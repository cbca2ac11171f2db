import { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLedger } from '../harness/ledger.ts';
import { RedisServer, skipWithoutRedis } from '../harness/redis.test.kit.ts';
import { startSupervisor, type Supervisor } from '../harness/supervisor.ts';
import { defaultTargetPlan } from '../harness/target-plan.ts';
import { parseTarget } from '../harness/target-options.ts';
import { parseRateLimits } from '../patterns/rate-limit-policy.ts';
import { type Answer, Network, patience, TestGateway } from './chaos.test.kit.ts';

const cleanups: (() => unknown)[] = [];
let ledgerPath = '';
beforeEach(() => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-'));
  cleanups.push(() => {
    rmSync(folder, { recursive: true });
  });
  ledgerPath = path.join(folder, 'ledger.ndjson');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A payment service that lives until it is killed, and is started again then. */
async function paymentService(): Promise<Supervisor> {
  const supervisor = await startSupervisor({
    plan: {
      ...defaultTargetPlan,
      fault: parseTarget('healthy'),
      leakBytes: 0,
      idleLeakBytesPerS: 0,
      down: 'refuse',
      restart: { kind: 'constant', delayMs: 10 },
    },
    ledgerPath,
  });
  cleanups.push(() => supervisor.stop());
  return supervisor;
}

async function gatewayTo(...args: Parameters<typeof TestGateway.start>): Promise<TestGateway> {
  const gateway = await TestGateway.start(...args);
  cleanups.push(() => gateway.end());
  return gateway;
}

/** Opens by one failure of two calls, closes after three probes. How fast the machine is does not matter to it. */
const openMs = 300;
const breaker = {
  stack: 'breaker',
  set: [
    ...['breaker.callsMin=2', 'breaker.failureRate=0.5', 'breaker.windowMs=1m', 'breaker.slowMs=off'],
    ...[`breaker.openMs=${openMs}`, 'breaker.probesMax=3', 'breaker.leaseMs=1m', 'timeout.limitMs=1m'],
  ],
};

/** Sends an order, and kills the service when it has it in its hands. */
async function killInMidRequest(supervisor: Supervisor, gateway: TestGateway): Promise<Answer> {
  const pid = supervisor.story().starts.at(-1)?.pid ?? expect.fail('there is no service');
  // Stopped first, so that it cannot be faster than the signal.
  process.kill(pid, 'SIGSTOP');
  const order = gateway.order();
  await expect.poll(async () => (await gateway.sample()).inFlight, patience).toBe(1);
  process.kill(pid, 'SIGKILL');
  return order;
}

async function isUp(supervisor: Supervisor): Promise<void> {
  await expect.poll(() => supervisor.state(), patience).toBe('up');
}

const isConfirmed = ({ status }: Answer) => status === 201;
const isPaused = ({ failure }: Answer) => failure === 'breaker-open';

describe('a payment service that is killed in the middle of a request', () => {
  it('opens the breaker, whose clients are told when to come back; it closes when all probes have succeeded', async () => {
    const service = await paymentService();
    const gateway = await gatewayTo(service, breaker);
    expect(await gateway.order()).toMatchObject({ status: 201 });

    expect(await killInMidRequest(service, gateway)).toMatchObject({ status: 502, failure: 'reset' });
    const paused = (await gateway.orderUntil(isPaused)).at(-1);
    expect(paused?.status).toBe(503);
    expect(paused?.headers.get('retry-after')).toBe('1');

    await isUp(service);
    await gateway.orderUntil(isConfirmed);
    expect(await gateway.sample()).toMatchObject({ breakerState: 'half-open' });
    expect(await gateway.order()).toMatchObject({ status: 201 });
    expect(await gateway.sample()).toMatchObject({ breakerState: 'half-open' });
    expect(await gateway.order()).toMatchObject({ status: 201 });
    expect(await gateway.sample()).toMatchObject({ breakerState: 'closed' });

    const { transitions } = await gateway.report();
    expect(transitions[0]).toMatchObject({ from: 'closed', to: 'open' });
    expect(transitions.at(-1)).toMatchObject({ from: 'half-open', to: 'closed' });
    // One order before, three probes after; the one that it was killed with has not been charged.
    expect(readLedger(ledgerPath).charges).toHaveLength(4);
  });

  it('opens the breaker again when it is killed under a probe, and the clock starts anew', async () => {
    const service = await paymentService();
    const gateway = await gatewayTo(service, breaker);
    await gateway.order();
    await killInMidRequest(service, gateway);
    await isUp(service);
    await gateway.orderUntil(isConfirmed);
    expect(await gateway.order()).toMatchObject({ status: 201 });
    // Two of three probes have succeeded; the third one does not.
    expect(await killInMidRequest(service, gateway)).toMatchObject({ failure: 'reset' });
    await gateway.orderUntil(isPaused);

    await isUp(service);
    await gateway.orderUntil(isConfirmed);
    await gateway.order();
    expect(await gateway.sample()).toMatchObject({ breakerState: 'half-open' });
    await gateway.order();
    expect(await gateway.sample()).toMatchObject({ breakerState: 'closed' });

    const { transitions } = await gateway.report();
    const openings = transitions.flatMap(({ to, atMs }, place) => (to === 'open' ? [{ atMs, place }] : []));
    expect(openings.length).toBeGreaterThan(1);
    for (const { atMs, place } of openings) {
      const next = transitions[place + 1] ?? expect.fail('it stayed open');
      expect(next.to).toBe('half-open');
      expect(next.atMs - atMs).toBeCloseTo(openMs, 6);
    }
    expect(transitions.at(-1)?.to).toBe('closed');
  });
});

it('two gateways: the breaker of the one that is cut off opens, the other one confirms every order', async () => {
  const service = await paymentService();
  const network = await Network.between(service);
  cleanups.push(() => network.cut());
  const cutOff = await gatewayTo(network, breaker);
  const other = await gatewayTo(service, breaker);
  const others: Answer[] = [];
  /** Every order to the one is an order to the other, too. */
  const bothUntil = (isIt: (answer: Answer) => boolean) =>
    expect
      .poll(async () => {
        const [answer, ofOther] = await Promise.all([cutOff.order(), other.order()]);
        others.push(ofOther);
        return isIt(answer);
      }, patience)
      .toBe(true);

  await bothUntil(isConfirmed);
  await network.cut();
  await bothUntil(isPaused);
  expect(await other.sample()).toMatchObject({ breakerState: 'closed' });
  await network.mend();
  await bothUntil(isConfirmed);
  await bothUntil(isConfirmed);
  await bothUntil(isConfirmed);
  expect(await cutOff.sample()).toMatchObject({ breakerState: 'closed' });

  expect(others.filter((answer) => !isConfirmed(answer))).toEqual([]);
  expect((await other.report()).transitions).toEqual([]);
  expect((await cutOff.report()).transitions.map(({ to }) => to)).toEqual(
    expect.arrayContaining(['open', 'half-open', 'closed']),
  );
});

describe.skipIf(skipWithoutRedis)('two gateways that count in one Redis', () => {
  it('go on without it when it is killed, count that, and together let in exactly the limit when it is back', async () => {
    const limit = 40;
    const keyPrefix = 'chaos:';
    const service = await paymentService();
    const server = await RedisServer.start();
    cleanups.push(() => server.kill());
    const rateLimit = {
      policies: parseRateLimits(`sliding-window:limit=${limit},windowMs=10m`),
      redis: { address: server.address, keyPrefix, failOpen: true },
    };
    const gateways = [
      await gatewayTo(service, { stack: 'baseline', rateLimit }),
      await gatewayTo(service, { stack: 'baseline', rateLimit }),
    ];
    const shop = { 'x-api-key': 'shop' };
    const all: Answer[] = [];
    const send = async (times: number): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (let time = 0; time < times; time++) {
        for (const gateway of gateways) answers.push(await gateway.order(shop));
      }
      all.push(...answers);
      return answers;
    };
    /** Decided by Redis. What Redis is too late for is let in, and Redis may have counted it or not. */
    const isDecided = ({ headers }: Answer) => headers.has('ratelimit');
    const late = (answers: readonly Answer[]) => answers.filter((answer) => !isDecided(answer)).length;
    const counted = async (): Promise<number> => {
      const redis = new Redis(server.address);
      const client = createHash('sha1').update('key shop').digest('base64url');
      return redis.llen(`${keyPrefix}{${client}}:0`).finally(() => {
        redis.disconnect();
      });
    };

    const before = await send(8);
    expect(before.every(isConfirmed)).toBe(true);
    expect(await counted()).toBeGreaterThanOrEqual(16 - late(before));
    expect(await counted()).toBeLessThanOrEqual(16);

    await server.kill();
    const without = await send(30);
    expect(without.every(isConfirmed)).toBe(true);
    expect(late(without)).toBe(60);

    await server.start();
    // What the Redis before had counted died with it.
    const after: Answer[] = [];
    for (const gateway of gateways) {
      after.push(...(await gateway.orderUntil(isDecided, shop)));
      after.push(...(await gateway.orderUntil(({ status }) => status === 429, shop)));
    }
    all.push(...after);
    expect(await counted()).toBe(limit);
    const letIn = after.filter((answer) => isConfirmed(answer) && isDecided(answer)).length;
    expect(letIn).toBeLessThanOrEqual(limit);
    expect(letIn).toBeGreaterThanOrEqual(limit - late(after));
    await send(10);
    expect(await counted()).toBe(limit);

    const reports = await Promise.all(gateways.map((gateway) => gateway.report()));
    const events = (type: 'limiter-failed-open' | 'rate-limited') =>
      reports.reduce((sum, report) => sum + (report.events[type] ?? 0), 0);
    expect(events('limiter-failed-open')).toBe(late(all));
    expect(events('rate-limited')).toBe(all.filter(({ status }) => status === 429).length);
    expect(readLedger(ledgerPath).charges).toHaveLength(all.filter(isConfirmed).length);
  });
});
