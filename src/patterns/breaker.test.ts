import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { breaker, createBreaker } from './breaker.ts';
import { breakerCount, createBreakerCount } from './breaker-count.ts';
import { bulkhead } from './bulkhead.ts';
import { Cancellation } from './cancellation.ts';
import { confirmed, type FailureKind, failed, failureKinds, type Outcome } from './outcome.ts';
import { callOf, ending, FakeTarget, scripted, Simulation, watch } from './sim.test.kit.ts';
import { compose } from './pipeline.ts';
import { timeout } from './timeout.ts';
import { verdictOf } from './verdict.ts';

describe('verdictOf', () => {
  const verdicts: Record<FailureKind, string> = {
    timeout: 'failure',
    refused: 'failure',
    reset: 'failure',
    'http-5xx': 'failure',
    'http-4xx': 'success',
    'breaker-open': 'excluded',
    'bulkhead-full': 'excluded',
    'queue-timeout': 'excluded',
    'rate-limited': 'excluded',
    shed: 'excluded',
    cancelled: 'excluded',
  };

  it.each(failureKinds)('knows what %s says about the target', (kind) => {
    expect(verdictOf(failed(kind))).toBe(verdicts[kind]);
  });

  it('takes a confirmation for a success', () => {
    expect(verdictOf(confirmed('paid'))).toBe('success');
  });
});

describe('breaker', () => {
  it('rejects at once while open, with what is left of the open time, and says so', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('paid')]);
    const one = createBreaker({ openMs: 1000 }, sim.runtime);
    one.trip();
    await sim.clock.advance(250);
    const result = watch(sim.clock, one.layer(target.send)('order', callOf()));
    await sim.clock.advance(0);
    expect(result).toEqual({ outcome: failed('breaker-open', { retryAfterMs: 750 }), settledAtMs: 250 });
    expect(target.attempts).toEqual([]);
    expect(sim.events.at(-1)).toEqual({ type: 'breaker-open', atMs: 250 });
  });

  it('B1: of 50 calls at once after the delay one reaches the hanging target, 49 are rejected at once', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ openMs: 1000, probesMax: 1 }, sim.runtime);
    one.trip();
    await sim.clock.advance(1000);
    const send = one.layer(target.send);
    const results = Array.from({ length: 50 }, () => watch(sim.clock, send('order', callOf())));
    await sim.clock.advance(0);
    expect(target.attempts).toHaveLength(1);
    expect(results.map(ending).filter((kind) => kind === 'breaker-open')).toHaveLength(49);
    expect(results.map(ending).filter((kind) => kind === 'pending')).toHaveLength(1);
  });

  it('B1: takes exactly probesMax calls in half-open, and closes when all have succeeded', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ openMs: 1000, probesMax: 3 }, sim.runtime);
    one.trip();
    await sim.clock.advance(1000);
    const send = one.layer(target.send);
    for (let call = 0; call < 50; call += 1) watch(sim.clock, send('order', callOf()));
    expect(target.attempts).toHaveLength(3);
    for (const attempt of target.attempts) {
      expect(one.state()).toBe('half-open');
      attempt.answer(confirmed('paid'));
      await sim.clock.advance(0);
    }
    expect(one.state()).toBe('closed');
    expect(sim.edges()).toEqual(['closed>open', 'open>half-open', 'half-open>closed']);
  });

  it('B2: the results of calls that began while it was closed change nothing later', async () => {
    for (const outcome of [confirmed('paid'), failed('reset')]) {
      const sim = new Simulation();
      const target = new FakeTarget(sim.clock);
      const one = createBreaker({ openMs: 1000 }, sim.runtime);
      const send = one.layer(target.send);
      for (let call = 0; call < 20; call += 1) watch(sim.clock, send('order', callOf()));
      one.trip();
      for (const attempt of target.attempts.slice(0, 10)) attempt.answer(outcome);
      await sim.clock.advance(0);
      expect(one.state()).toBe('open');
      await sim.clock.advance(1000);
      for (const attempt of target.attempts.slice(10)) attempt.answer(outcome);
      await sim.clock.advance(0);
      expect(one.state()).toBe('half-open');
      expect(sim.count('breaker-stale')).toBe(20);
    }
  });

  it('B11: 100 calls that are aborted by their callers leave it closed', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ callsMin: 2 }, sim.runtime);
    const send = compose([one.layer, timeout({}, sim.runtime)], target.send);
    const calls = Array.from({ length: 100 }, () => new Cancellation());
    const results = calls.map((cancellation) => watch(sim.clock, send('order', callOf({ cancellation }))));
    for (const cancellation of calls) cancellation.cancel('gone');
    await sim.clock.advance(0);
    expect(results.map(ending)).toEqual(new Array(100).fill('cancelled'));
    expect(one.state()).toBe('closed');
    // One real failure more, of two that would be needed.
    target.attempts.length = 0;
    watch(sim.clock, send('order', callOf()));
    target.attempts[0]?.answer(failed('reset'));
    await sim.clock.advance(0);
    expect(one.state()).toBe('closed');
  });

  it('B12: what a layer inside rejects says nothing about the target', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ callsMin: 2, failureRate: 0.1 }, sim.runtime);
    const send = compose([one.layer, bulkhead({ concurrentMax: 1 }, sim.runtime)], target.send);
    const results = Array.from({ length: 10 }, () => watch(sim.clock, send('order', callOf())));
    target.attempts[0]?.answer(confirmed('paid'));
    await sim.clock.advance(0);
    expect(results.map(ending).filter((kind) => kind === 'bulkhead-full')).toHaveLength(9);
    expect(one.state()).toBe('closed');
  });

  it('B16: does not ask the wall clock', async () => {
    const wallClock = vi.spyOn(Date, 'now');
    try {
      const sim = new Simulation();
      const one = createBreaker({ openMs: 1000 }, sim.runtime);
      wallClock.mockReturnValue(1_700_000_000_000);
      one.trip();
      wallClock.mockReturnValue(1_700_000_000_000 - 3_600_000);
      await sim.clock.advance(1000);
      expect(one.state()).toBe('half-open');
      expect(wallClock).not.toHaveBeenCalled();
    } finally {
      wallClock.mockRestore();
    }
  });

  it('B20: sets no timers', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ slowMs: 300, openMs: 1000 }, sim.runtime);
    for (let call = 0; call < 100; call += 1) watch(sim.clock, one.layer(target.send)('order', callOf()));
    await sim.clock.advance(300);
    expect(one.state()).toBe('open');
    await sim.clock.advance(1000);
    watch(sim.clock, one.layer(target.send)('order', callOf()));
    expect(sim.clock.pending).toBe(0);
  });

  it('notices a target that hangs after slowMs, long before the attempts time out', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreaker({ slowMs: 300, callsMin: 10 }, sim.runtime);
    const send = compose([one.layer, timeout({ limitMs: 3000 }, sim.runtime)], target.send);
    for (let call = 0; call < 400; call += 1) {
      watch(sim.clock, send('order', callOf()));
      await sim.clock.advance(5);
    }
    // The tenth call was sent at 45 ms.
    expect(sim.events.find((event) => event.type === 'breaker-transition')).toMatchObject({
      to: 'open',
      atMs: 345,
    });
    expect(sim.count('timeout')).toBe(0);
  });

  it('gives a permit back when there is a bug inside, and lets it through', async () => {
    const sim = new Simulation();
    const one = createBreaker({ probesMax: 1, callsMin: 1 }, sim.runtime);
    one.trip();
    await sim.clock.advance(1000);
    const bug = new Error('bug');
    const send = one.layer(() => {
      throw bug;
    });
    for (let call = 0; call < 3; call += 1) await expect(send('order', callOf())).rejects.toBe(bug);
    expect(one.state()).toBe('half-open');
  });

  it('shares its state between the sends that it is applied to', async () => {
    const sim = new Simulation();
    const layer = breaker({ callsMin: 1 }, sim.runtime);
    const failing = scripted(sim.clock, [failed('reset')]);
    const healthy = scripted(sim.clock, [confirmed('paid')]);
    watch(sim.clock, layer(failing.send)('order', callOf()));
    await sim.clock.advance(0);
    const result = watch(sim.clock, layer(healthy.send)('order', callOf()));
    await sim.clock.advance(0);
    expect(ending(result)).toBe('breaker-open');
  });

  it('works the same when nobody listens', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset')]);
    const send = breaker({ callsMin: 1 }, { clock: sim.clock, random: Math.random })(target.send);
    watch(sim.clock, send('order', callOf()));
    await sim.clock.advance(0);
    const result = watch(sim.clock, send('order', callOf()));
    await sim.clock.advance(0);
    expect(ending(result)).toBe('breaker-open');
  });
});

describe('breakerCount', () => {
  /** Sends one call after another with these outcomes, as far as they are admitted. */
  async function run(
    sim: Simulation,
    outcomes: readonly Outcome<string>[],
    layer = breakerCount({}, sim.runtime),
  ): Promise<void> {
    const target = scripted(sim.clock, outcomes);
    for (let call = 0; call < outcomes.length; call += 1) {
      watch(sim.clock, layer(target.send)('order', callOf()));
      await sim.clock.advance(0);
    }
  }

  it('opens after failuresMax failures in a row', async () => {
    const sim = new Simulation();
    await run(sim, new Array<Outcome<string>>(4).fill(failed('reset')));
    expect(sim.edges()).toEqual([]);
    await run(sim, new Array<Outcome<string>>(5).fill(failed('reset')));
    expect(sim.edges()).toEqual(['closed>open']);
  });

  it('never opens on a target that fails four calls in five: a success sets it back', async () => {
    const sim = new Simulation();
    const round = [failed('reset'), failed('reset'), failed('reset'), failed('reset'), confirmed('paid')];
    await run(sim, Array.from({ length: 20 }, () => round).flat());
    expect(sim.edges()).toEqual([]);
  });

  it('lets everything through in half-open: the stampede that it is there to show', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBreakerCount({ openMs: 1000 }, sim.runtime);
    one.trip();
    const early = watch(sim.clock, one.layer(target.send)('order', callOf()));
    await sim.clock.advance(1000);
    expect(early.outcome).toEqual(failed('breaker-open', { retryAfterMs: 1000 }));
    for (let call = 0; call < 50; call += 1) watch(sim.clock, one.layer(target.send)('order', callOf()));
    expect(target.attempts).toHaveLength(50);
    target.attempts[0]?.answer(failed('reset'));
    await sim.clock.advance(0);
    expect(one.state()).toBe('open');
  });

  it('closes at the first success in half-open', async () => {
    const sim = new Simulation();
    const one = createBreakerCount({ openMs: 1000 }, sim.runtime);
    one.trip();
    await sim.clock.advance(1000);
    await run(sim, [confirmed('paid')], one.layer);
    expect(one.state()).toBe('closed');
  });

  it('does not count what says nothing about the target', async () => {
    const sim = new Simulation();
    const excluded = failureKinds
      .filter((kind) => verdictOf(failed(kind)) === 'excluded')
      .map((kind) => failed(kind));
    await run(sim, [...excluded, ...excluded, ...excluded]);
    expect(sim.edges()).toEqual([]);
  });

  it('takes only legal edges, each from where the one before ended', async () => {
    const legal = ['closed>open', 'open>half-open', 'half-open>open', 'half-open>closed'];
    const step = fc.record({
      waitMs: fc.nat(800),
      outcome: fc.constantFrom<Outcome<string>>(confirmed('paid'), failed('reset'), failed('cancelled')),
      delayMs: fc.nat(2000),
      trip: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const sim = new Simulation();
        const one = createBreakerCount({ failuresMax: 2, openMs: 1000 }, sim.runtime);
        const target = new FakeTarget(sim.clock, (attempt) => {
          const { delayMs, outcome } = attempt.request as (typeof steps)[number];
          sim.clock.after(delayMs, () => {
            attempt.answer(outcome);
          });
        });
        for (const request of steps) {
          if (request.trip === 0) one.trip();
          watch(sim.clock, one.layer(target.send)(request, callOf()));
          await sim.clock.advance(request.waitMs);
        }
        const last = one.state();
        let state = 'closed';
        for (const event of sim.events) {
          if (event.type !== 'breaker-transition') continue;
          expect(legal).toContain(`${event.from}>${event.to}`);
          expect(event.from).toBe(state);
          state = event.to;
        }
        expect(state).toBe(last);
      }),
    );
  });
});
