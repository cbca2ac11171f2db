import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';
import type { Call } from './call.ts';
import { Cancellation } from './cancellation.ts';
import { jitters } from './backoff.ts';
import { confirmed, type FailureKind, failed, failureKinds } from './outcome.ts';
import { retry, retryBlind, retryBudget } from './retry.ts';
import { callOf, ending, FakeTarget, scripted, Simulation, watch } from './sim.test.kit.ts';
import { compose } from './pipeline.ts';
import { timeout } from './timeout.ts';

const fast = { baseMs: 100, jitter: 'none' } as const;

/** How many attempts a target that always fails in this way gets for one call. */
async function attemptsAfter(kind: FailureKind, call: Partial<Call> = {}, layer = retry): Promise<number> {
  const sim = new Simulation();
  const target = scripted(sim.clock, [failed(kind)]);
  const result = watch(sim.clock, layer(fast, sim.runtime)(target.send)('order', callOf(call)));
  await sim.clock.runUntilIdle();
  expect(ending(result)).toBe(kind);
  return target.attempts.length;
}

describe('retry', () => {
  it('tries again with growing delays until it is confirmed, and says what it did', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [
      failed('reset'),
      failed('http-5xx', { status: 503 }),
      confirmed('paid'),
    ]);
    const result = watch(sim.clock, retry(fast, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(result).toEqual({ outcome: confirmed('paid'), settledAtMs: 300 });
    expect(target.attempts.map((attempt) => attempt.atMs)).toEqual([0, 100, 300]);
    expect(sim.events).toEqual([
      { type: 'retry', atMs: 0, retry: 1, delayMs: 100, after: 'reset' },
      { type: 'retry', atMs: 100, retry: 2, delayMs: 200, after: 'http-5xx' },
      { type: 'retry-saved', atMs: 300, retry: 2 },
    ]);
  });

  it('R27: makes 3 retries after 3 delays, then returns the last failure', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [
      failed('reset'),
      failed('reset'),
      failed('reset'),
      failed('http-5xx', { status: 500 }),
    ]);
    const result = watch(sim.clock, retry({}, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(target.attempts).toHaveLength(4);
    expect(sim.count('retry')).toBe(3);
    expect(result.outcome).toEqual(failed('http-5xx', { status: 500 }));
  });

  it('makes a single attempt with no retries allowed', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset')]);
    watch(sim.clock, retry({ retriesMax: 0 }, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(target.attempts).toHaveLength(1);
  });

  it.each(failureKinds)('knows whether %s can be better next time', async (kind) => {
    const transient: readonly FailureKind[] = ['timeout', 'refused', 'reset', 'http-5xx'];
    expect(await attemptsAfter(kind)).toBe(transient.includes(kind) ? 4 : 1);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])(
    'tries %s again: it is idempotent',
    async (method) => {
      expect(await attemptsAfter('reset', { method })).toBe(4);
    },
  );

  it.each(['POST', 'PATCH', 'CONNECT', 'get', 'UNKNOWN'])('does not try %s again', async (method) => {
    expect(await attemptsAfter('reset', { method })).toBe(1);
  });

  it('R32: a POST without a key is tried again only if it provably never arrived', async () => {
    expect(await attemptsAfter('reset', { method: 'POST' })).toBe(1);
    expect(await attemptsAfter('timeout', { method: 'POST' })).toBe(1);
    expect(await attemptsAfter('http-5xx', { method: 'POST' })).toBe(1);
    expect(await attemptsAfter('refused', { method: 'POST' })).toBe(4);
  });

  it('R32: judges each failure by itself', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('refused'), failed('reset'), confirmed('paid')]);
    const result = watch(
      sim.clock,
      retry(fast, sim.runtime)(target.send)('order', callOf({ method: 'POST' })),
    );
    await sim.clock.runUntilIdle();
    expect(ending(result)).toBe('reset');
    expect(target.attempts).toHaveLength(2);
  });

  it('R33: a POST with a key is tried again with the same key', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset'), failed('timeout'), confirmed('paid')]);
    const call = callOf({ method: 'POST', idempotencyKey: 'order-1' });
    watch(sim.clock, retry({}, sim.runtime)(target.send)('order', call));
    await sim.clock.runUntilIdle();
    expect(target.attempts.map((attempt) => attempt.call.idempotencyKey)).toEqual([
      'order-1',
      'order-1',
      'order-1',
    ]);
  });

  it.each([
    [409, 1000, 2],
    [409, undefined, 1],
    [422, 1000, 1],
  ])(
    'after a %i with a Retry-After of %s ms it makes %i attempts',
    async (status, retryAfterMs, attempts) => {
      const sim = new Simulation();
      const target = scripted(sim.clock, [failed('http-4xx', { status, retryAfterMs }), confirmed('paid')]);
      const call = callOf({ method: 'POST', idempotencyKey: 'k' });
      watch(sim.clock, retry({}, sim.runtime)(target.send)('order', call));
      await sim.clock.runUntilIdle();
      expect(target.attempts).toHaveLength(attempts);
    },
  );

  it('does not take an empty key for a key', async () => {
    expect(await attemptsAfter('reset', { method: 'POST', idempotencyKey: '' })).toBe(1);
  });

  it('R23: every attempt sends the same request', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset'), failed('reset'), confirmed('paid')]);
    const request = { body: 'x' };
    watch(sim.clock, retry({}, sim.runtime)(target.send)(request, callOf()));
    await sim.clock.runUntilIdle();
    expect(target.attempts).toHaveLength(3);
    for (const attempt of target.attempts) expect(attempt.request).toBe(request);
  });

  it('R23: a body that cannot be sent again is not, whatever failed, and the first failure is returned', async () => {
    for (const kind of ['reset', 'refused', 'timeout', 'http-5xx'] as const) {
      expect(await attemptsAfter(kind, { method: 'PUT', idempotencyKey: 'k', replayable: false })).toBe(1);
    }
  });

  it('R24: only the answer of the last attempt reaches the caller', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('http-5xx', { status: 500 }), confirmed('second')]);
    const result = watch(sim.clock, retry({}, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(result.outcome).toEqual(confirmed('second'));
  });

  it('R22: an abort in the backoff settles at once, with no further attempt, no timer and no listener', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset')]);
    const controller = new AbortController();
    const cancellation = Cancellation.of(controller.signal);
    const call = callOf({ cancellation });
    const result = watch(
      sim.clock,
      retry({ baseMs: 5000, capMs: 5000 }, sim.runtime)(target.send)('order', call),
    );
    await sim.clock.advance(10);
    const reason = new Error('gone');
    controller.abort(reason);
    await sim.clock.advance(0);
    expect(result).toEqual({ outcome: failed('cancelled', { reason }), settledAtMs: 10 });
    expect(sim.clock.pending).toBe(0);
    await sim.clock.runUntilIdle();
    expect(target.attempts).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('R22: an abort while an attempt is failing ends in cancelled, with no further attempt', async () => {
    const sim = new Simulation();
    const cancellation = new Cancellation();
    const target = new FakeTarget(sim.clock, (attempt) => {
      cancellation.cancel('gone');
      attempt.answer(failed('reset'));
    });
    const send: typeof target.send = async (request, call) => {
      await target.send(request, call);
      return failed('reset');
    };
    const result = watch(sim.clock, retry({}, sim.runtime)(send)('order', callOf({ cancellation })));
    await sim.clock.runUntilIdle();
    expect(result.outcome).toEqual(failed('cancelled', { reason: 'gone' }));
    expect(target.attempts).toHaveLength(1);
  });

  it('R25: waits at least as long as the target asks', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [
      failed('http-5xx', { status: 503, retryAfterMs: 2000 }),
      confirmed('paid'),
    ]);
    const result = watch(sim.clock, retry(fast, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(result.settledAtMs).toBe(2000);
  });

  it('R25: waits for its own backoff if that is longer, or if nothing was asked', async () => {
    for (const retryAfterMs of [0, 50, undefined]) {
      const sim = new Simulation();
      const target = scripted(sim.clock, [failed('http-5xx', { retryAfterMs }), confirmed('paid')]);
      const result = watch(sim.clock, retry(fast, sim.runtime)(target.send)('order', callOf()));
      await sim.clock.runUntilIdle();
      expect(result.settledAtMs).toBe(100);
    }
  });

  it('R25: fails at once, with the original failure, when the wait would reach the deadline', async () => {
    for (const failure of [failed('http-5xx', { retryAfterMs: 2000 }), failed('reset')]) {
      const sim = new Simulation();
      const target = scripted(sim.clock, [failure, confirmed('paid')]);
      const send = retry({ baseMs: 2000, jitter: 'none' }, sim.runtime)(target.send);
      const result = watch(sim.clock, send('order', callOf({ deadlineMs: 2000 })));
      await sim.clock.runUntilIdle();
      expect(result).toEqual({ outcome: failure, settledAtMs: 0 });
      expect(target.attempts).toHaveLength(1);
      expect(sim.events).toEqual([]);
    }
  });

  it('R28: each attempt starts with a live cancellation and its own full time', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock, (attempt) => {
      expect(attempt.call.cancellation.cancelled).toBe(false);
    });
    const send = compose([retry(fast, sim.runtime), timeout({ limitMs: 50 }, sim.runtime)], target.send);
    const result = watch(sim.clock, send('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(ending(result)).toBe('timeout');
    // Attempts at 0, 150, 400 and 850, each for 50 ms.
    expect(target.attempts.map((attempt) => attempt.atMs)).toEqual([0, 150, 400, 850]);
    expect(result.settledAtMs).toBe(900);
  });

  it('R29: 10,000 retried calls leave no listener on one long-lived signal, and no warning', async () => {
    const sim = new Simulation();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on('warning', onWarning);
    const target = new FakeTarget(sim.clock, (attempt, index) => {
      attempt.answer(index % 2 === 0 ? failed('reset') : confirmed('paid'));
    });
    const controller = new AbortController();
    const cancellation = Cancellation.of(controller.signal);
    let links = 0;
    const link = cancellation.link.bind(cancellation);
    const unlink = cancellation.unlink.bind(cancellation);
    let linked = 0;
    cancellation.link = (child) => {
      linked += 1;
      links += 1;
      link(child);
    };
    cancellation.unlink = (child) => {
      linked -= 1;
      unlink(child);
    };
    const send = compose([retry({}, sim.runtime), timeout({}, sim.runtime)], target.send);
    const results = Array.from({ length: 10_000 }, () =>
      watch(sim.clock, send('order', callOf({ cancellation }))),
    );
    await sim.clock.runUntilIdle();
    process.off('warning', onWarning);
    expect(results.filter((result) => ending(result) === 'confirmed').length).toBeGreaterThan(5000);
    expect(links).toBeGreaterThan(20_000);
    expect(linked).toBe(0);
    expect(warnings).toEqual([]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  });

  it('R30: outside of an open breaker it makes no extra attempt', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('paid')]);
    const breaker = createBreaker({}, sim.runtime);
    breaker.trip();
    const result = watch(
      sim.clock,
      compose([retry({}, sim.runtime), breaker.layer], target.send)('order', callOf()),
    );
    await sim.clock.runUntilIdle();
    expect(ending(result)).toBe('breaker-open');
    expect(target.attempts).toEqual([]);
    expect(sim.count('breaker-open')).toBe(1);
    expect(sim.count('retry')).toBe(0);
  });

  it('lets a bug through as a rejection, from the first attempt and from a later one', async () => {
    const bug = new Error('bug');
    for (const failures of [0, 1]) {
      const sim = new Simulation();
      let attempts = 0;
      const send = retry(
        {},
        sim.runtime,
      )(() => {
        attempts += 1;
        if (attempts > failures) throw bug;
        return Promise.resolve(failed('reset'));
      });
      const rejected = expect(send('order', callOf())).rejects.toBe(bug);
      await sim.clock.runUntilIdle();
      await rejected;
    }
  });

  it('keeps delays in their bounds and attempts to retriesMax + 1, whatever happens', async () => {
    const options = fc.record({
      retriesMax: fc.nat(6),
      baseMs: fc.nat(500),
      capMs: fc.nat(2000),
      jitter: fc.constantFrom(...jitters),
    });
    await fc.assert(
      fc.asyncProperty(
        options,
        fc.array(fc.constantFrom(...failureKinds), { minLength: 1 }),
        fc.nat(),
        async (given, kinds, seed) => {
          const sim = new Simulation(seed);
          const target = scripted(
            sim.clock,
            kinds.map((kind) => failed(kind)),
          );
          const result = watch(sim.clock, retry(given, sim.runtime)(target.send)('order', callOf()));
          await sim.clock.runUntilIdle();
          expect(ending(result)).toBe(kinds[Math.min(target.attempts.length, kinds.length) - 1]);
          expect(target.attempts.length).toBeLessThanOrEqual(given.retriesMax + 1);
          const retries = sim.events.filter((event) => event.type === 'retry');
          expect(retries).toHaveLength(target.attempts.length - 1);
          retries.forEach((event, index) => {
            const startedMs = target.attempts[index]?.atMs ?? 0;
            expect(event.retry).toBe(index + 1);
            expect(event.delayMs).toBeGreaterThanOrEqual(0);
            expect(event.delayMs).toBeLessThanOrEqual(given.capMs * 1.5);
            expect(target.attempts[index + 1]?.atMs).toBe(startedMs + event.delayMs);
          });
        },
      ),
    );
  });
});

describe('retryBlind', () => {
  it('tries a POST without a key again: the mistake it is there to show', async () => {
    for (const kind of ['timeout', 'reset', 'http-5xx', 'refused'] as const) {
      expect(await attemptsAfter(kind, { method: 'POST' }, retryBlind)).toBe(4);
    }
  });

  it('knows all the same that a stream cannot be sent twice and that an open breaker stays open', async () => {
    expect(await attemptsAfter('reset', { method: 'POST', replayable: false }, retryBlind)).toBe(1);
    expect(await attemptsAfter('breaker-open', { method: 'POST' }, retryBlind)).toBe(1);
  });
});

describe('retryBudget', () => {
  it('grants a share of all calls and the floor, reports each refusal and returns the failure', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset')]);
    const send = retryBudget({ retriesMax: 1, share: 0.25, floorPerS: 10 }, sim.runtime)(target.send);
    const results = Array.from({ length: 100 }, () => watch(sim.clock, send('order', callOf())));
    await sim.clock.runUntilIdle();
    // 100 calls bring 25, the floor starts with 10.
    expect(sim.count('retry')).toBe(35);
    expect(sim.count('retry-refused')).toBe(65);
    expect(target.attempts).toHaveLength(135);
    expect(results.map(ending)).toEqual(new Array(100).fill('reset'));
  });

  it('recovers at the floor rate', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset')]);
    const send = retryBudget({ retriesMax: 1, share: 0, floorPerS: 10, baseMs: 0 }, sim.runtime)(target.send);
    for (let second = 0; second < 3; second += 1) {
      for (let call = 0; call < 50; call += 1) watch(sim.clock, send('order', callOf()));
      await sim.clock.advance(1000);
    }
    expect(sim.count('retry')).toBe(30);
  });

  it('spends nothing on what would not be retried anyway', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('http-4xx')]);
    const send = retryBudget({}, sim.runtime)(target.send);
    for (let call = 0; call < 100; call += 1) watch(sim.clock, send('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(sim.events).toEqual([]);
  });
});
