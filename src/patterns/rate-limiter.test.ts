import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRateLimits } from './rate-limit-policy.ts';
import { RateLimiter } from './rate-limiter.ts';

const limiter = (text: string, clientsMax?: number) => new RateLimiter(parseRateLimits(text), clientsMax);

/** How many of `tries` requests at the same moment are admitted. */
function admitted(limits: RateLimiter, now: number, tries = 100, client = 'a'): number {
  return Array.from({ length: tries }, () => limits.decide(client, now)).filter((one) => one.admitted).length;
}

describe('RateLimiter', () => {
  it('refuses the third of two', () => {
    const limits = limiter('token-bucket:ratePerS=1,burst=2');
    const decisions = [0, 0, 0].map((now) => limits.decide('a', now).admitted);
    expect(decisions).toEqual([true, true, false]);
  });

  it('lets a burst through, and the rate after it', () => {
    const limits = limiter('token-bucket:ratePerS=10,burst=20');
    expect([0, 500, 1000, 60_000].map((now) => admitted(limits, now))).toEqual([20, 5, 5, 20]);
  });

  it('slides: what half a window ago was used up comes back half a window later', () => {
    const limits = limiter('sliding-window:limit=10,windowMs=100');
    expect([
      admitted(limits, 0, 6),
      admitted(limits, 50),
      admitted(limits, 99),
      admitted(limits, 100),
    ]).toEqual([6, 4, 0, 6]);
  });

  it('gives each client limits of its own', () => {
    const limits = limiter('token-bucket:ratePerS=1,burst=3');
    expect([admitted(limits, 0, 9, 'a'), admitted(limits, 0, 9, 'b')]).toEqual([3, 3]);
  });

  it('says what is left and when there is more', () => {
    const limits = limiter('token-bucket:ratePerS=10,burst=2;sliding-window:limit=5,windowMs=1000');
    expect(limits.decide('a', 0)).toEqual({
      admitted: true,
      retryAfterMs: 0,
      quotas: [
        { remaining: 1, nextMs: 100 },
        { remaining: 4, nextMs: 1000 },
      ],
    });
    limits.decide('a', 40);
    expect(limits.decide('a', 40)).toEqual({
      admitted: false,
      // 0.4 of a token had come back in 40 ms.
      retryAfterMs: expect.closeTo(60, 6) as number,
      quotas: [
        { remaining: 0, nextMs: expect.closeTo(60, 6) as number },
        { remaining: 3, nextMs: 960 },
      ],
    });
  });

  it('takes nothing from limits that pass when another refuses', () => {
    const limits = limiter('token-bucket:ratePerS=1000,burst=2;sliding-window:limit=10,windowMs=1000');
    expect(admitted(limits, 0, 50)).toBe(2);
    expect(limits.decide('a', 10).quotas[1]).toMatchObject({ remaining: 7 });
  });

  it('waits for the slowest of the limits that refuse', () => {
    const limits = limiter('token-bucket:ratePerS=10,burst=1;sliding-window:limit=1,windowMs=5000');
    limits.decide('a', 0);
    expect(limits.decide('a', 0).retryAfterMs).toBe(5000);
  });

  it('forgets clients that have been silent long enough to have everything back', () => {
    const limits = limiter('sliding-window:limit=1,windowMs=1000');
    for (let client = 0; client < 50; client += 1) limits.decide(`c${client}`, client);
    limits.decide('late', 1025);
    expect(limits.size).toBe(26);
  });

  it('remembers no more clients than it may, whoever floods it with names', () => {
    const limits = limiter('token-bucket:ratePerS=1,burst=1', 100);
    for (let client = 0; client < 10_000; client += 1) limits.decide(`c${client}`, 0);
    expect(limits.size).toBe(100);
  });

  const traffic = fc.array(fc.nat(60), { maxLength: 200 });

  it('never admits more than a window allows, wherever the window begins', () => {
    fc.assert(
      fc.property(
        traffic,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 300 }),
        (gaps, limit, windowMs) => {
          const limits = limiter(`sliding-window:limit=${limit},windowMs=${windowMs}`);
          let now = 0;
          const times: number[] = [];
          for (const gap of gaps) {
            now += gap;
            if (limits.decide('a', now).admitted) times.push(now);
          }
          for (const from of times) {
            const inside = times.filter((time) => time >= from && time < from + windowMs);
            expect(inside.length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  it('never admits more than the burst and the rate add up to, from any moment on', () => {
    fc.assert(
      fc.property(
        traffic,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        (gaps, burst, ratePerS) => {
          const limits = limiter(`token-bucket:ratePerS=${ratePerS},burst=${burst}`);
          let now = 0;
          const times: number[] = [];
          for (const gap of gaps) {
            now += gap;
            if (limits.decide('a', now).admitted) times.push(now);
          }
          times.forEach((from, first) => {
            times.slice(first).forEach((to, place) => {
              expect(place + 1).toBeLessThanOrEqual(burst + ((to - from) / 1000) * ratePerS + 1e-9);
            });
          });
        },
      ),
    );
  });

  it('admits whoever waits as long as it was told to', () => {
    fc.assert(
      fc.property(traffic, (gaps) => {
        const limits = limiter('token-bucket:ratePerS=30,burst=3;sliding-window:limit=5,windowMs=200');
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const { admitted: isAdmitted, retryAfterMs } = limits.decide('a', now);
          if (isAdmitted) continue;
          now += retryAfterMs + 1e-6;
          expect(limits.decide('a', now).admitted).toBe(true);
        }
      }),
    );
  });
});
