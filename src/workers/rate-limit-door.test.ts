import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { confirmed } from '../patterns/outcome.ts';
import { parseRateLimits } from '../patterns/rate-limit-policy.ts';
import { type RateDecision, RateLimiter } from '../patterns/rate-limiter.ts';
import { createGatewayApp } from './gateway-app.ts';
import { createRateLimitDoor } from './rate-limit-door.ts';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

interface Gateway {
  readonly order: (headers?: Record<string, string>) => Promise<LightMyRequestResponse>;
  readonly get: (url: string) => Promise<LightMyRequestResponse>;
  readonly events: string[];
  readonly paid: () => number;
}

function gateway(
  limits: string,
  failOpen = true,
  decide?: () => RateDecision | Promise<RateDecision | undefined>,
): Gateway {
  const policies = parseRateLimits(limits);
  const limiter = new RateLimiter(policies);
  const events: string[] = [];
  let paid = 0;
  const server = createGatewayApp({
    pay: (order) => {
      paid += 1;
      return Promise.resolve(confirmed({ paymentId: 'p-1', ...order, replayed: false }));
    },
    findUser: ({ id }) => Promise.resolve(confirmed({ id, name: 'n', email: 'e' })),
    idempotencyKeys: true,
    door: createRateLimitDoor({
      policies,
      decide: decide ?? ((client) => limiter.decide(client, 0)),
      failOpen,
      report: (type) => events.push(type),
    }),
    onOrder: () => undefined,
    onOrderEnd: () => undefined,
  });
  app = server;
  return {
    order: (headers = {}) =>
      server.inject({ method: 'POST', url: '/orders', headers, payload: { orderId: 'o-1', amountCents: 1 } }),
    get: (url) => server.inject({ url }),
    events,
    paid: () => paid,
  };
}

it('refuses the third of two with 429, and does not fail open', async () => {
  const { order, events, paid } = gateway('token-bucket:ratePerS=1,burst=2');
  const answers = [await order(), await order(), await order()];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 429]);
  expect(answers[2]?.json()).toMatchObject({ status: 429, failure: 'rate-limited' });
  expect([events, paid()]).toEqual([['rate-limited'], 2]);
});

it('says in structured fields what the limits are, what is left of them, and when to come back', async () => {
  const { order } = gateway('token-bucket:ratePerS=2,burst=4;sliding-window:limit=1,windowMs=9500');
  const first = await order();
  expect(first.headers['ratelimit-policy']).toBe('"token-bucket";q=4;w=2, "sliding-window";q=1;w=10');
  expect(first.headers.ratelimit).toBe('"token-bucket";r=3;t=1, "sliding-window";r=0;t=10');
  expect(first.headers['retry-after']).toBeUndefined();
  const second = await order();
  expect(second.headers.ratelimit).toBe('"token-bucket";r=3;t=1, "sliding-window";r=0;t=10');
  expect(second.headers['retry-after']).toBe('10');
});

it('tells two limits of a kind apart', async () => {
  const { order } = gateway('sliding-window:limit=9,windowMs=1s;sliding-window:limit=99,windowMs=60s');
  expect((await order()).headers['ratelimit-policy']).toBe(
    '"sliding-window";q=9;w=1, "sliding-window-2";q=99;w=60',
  );
});

it('counts by API key, and by address where there is none', async () => {
  const { order } = gateway('token-bucket:ratePerS=1,burst=1');
  const statuses = [];
  for (const headers of [
    { 'x-api-key': 'a' },
    { 'x-api-key': 'b' },
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'a' },
  ]) {
    statuses.push((await order(headers)).statusCode);
  }
  expect(statuses).toEqual([201, 201, 201, 429, 429]);
});

it('never takes a key for an address', async () => {
  const { order } = gateway('token-bucket:ratePerS=1,burst=1');
  expect((await order({ 'x-api-key': '127.0.0.1' })).statusCode).toBe(201);
  expect((await order()).statusCode).toBe(201);
});

it('stands before every page but the health check', async () => {
  const { get } = gateway('token-bucket:ratePerS=1,burst=1');
  const statuses = [];
  for (const url of ['/catalog', '/catalog', '/healthz', '/healthz', '/nowhere'])
    statuses.push((await get(url)).statusCode);
  expect(statuses).toEqual([200, 429, 200, 200, 429]);
});

it('lets in what cannot be decided, and counts it', async () => {
  const { order, events } = gateway('token-bucket', true, () => Promise.resolve(undefined));
  const { statusCode, headers } = await order();
  expect([statusCode, headers.ratelimit, events]).toEqual([201, undefined, ['limiter-failed-open']]);
});

it('turns away what cannot be decided where it has to, and blames nobody for it', async () => {
  const { order, events, paid } = gateway('token-bucket', false, () => Promise.resolve(undefined));
  const answer = await order();
  expect([answer.statusCode, answer.headers['retry-after'], paid()]).toEqual([503, '1', 0]);
  expect([answer.json<{ failure: string }>().failure, events]).toEqual(['shed', ['limiter-failed-closed']]);
});
