import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';
import { createBulkhead } from './bulkhead.ts';
import { bytesKeptBy } from './heap.test.kit.ts';
import type { Layer, Runtime } from './layer.ts';
import { confirmed, failed } from './outcome.ts';
import { compose } from './pipeline.ts';
import { callOf, ending, FakeTarget, scripted, Simulation, watch, throwing } from './sim.test.kit.ts';
import { timedOut, timeout } from './timeout.ts';
import { UsageError } from './usage-error.ts';

describe('timeout', () => {
  it('answers at the limit, cancels the attempt and says so once', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const call = watch(sim.clock, timeout({ limitMs: 50 }, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.advance(49.9);
    expect(ending(call)).toBe('pending');
    await sim.clock.advance(0.1);
    expect(call).toEqual({ outcome: failed('timeout'), settledAtMs: 50 });
    expect(target.attempts[0]?.aborted).toBe(true);
    expect(target.attempts[0]?.call.cancellation.reason).toBe(timedOut);
    expect(sim.events).toEqual([{ type: 'timeout', atMs: 50 }]);
  });

  it('answers at the limit even if a listener throws', async () => {
    const sim = new Simulation();
    const deaf = { ...sim.runtime, report: throwing };
    const call = watch(
      sim.clock,
      timeout({ limitMs: 50 }, deaf)(new FakeTarget(sim.clock).send)('order', callOf()),
    );
    await expect(sim.clock.advance(50)).rejects.toThrow('listener');
    expect(ending(call)).toBe('timeout');
  });

  it('lets whoever makes the attempt give it up, as often as it likes', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const one = createBulkhead({}, sim.runtime);
    const caller = new Cancellation();
    const send = compose([one.layer, timeout({ limitMs: 50 }, sim.runtime)], target.send);
    const call = watch(sim.clock, send('order', callOf({ cancellation: caller })));
    const attempt = target.attempts[0];
    attempt?.call.cancellation.cancel('given up');
    attempt?.call.cancellation.cancel('again');
    await sim.clock.advance(100);
    attempt?.call.cancellation.cancel('and again');
    caller.cancel('too late');
    expect(call).toEqual({ outcome: failed('cancelled', { reason: 'given up' }), settledAtMs: 0 });
    expect(one.active()).toBe(0);
  });

  it('passes an answer on that comes in time, and leaves the attempt alone afterwards', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('paid')], 20);
    const call = watch(sim.clock, timeout({ limitMs: 50 }, sim.runtime)(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(call).toEqual({ outcome: confirmed('paid'), settledAtMs: 20 });
    // T35: its moment has passed by now, and nothing that belongs to the answer was cancelled.
    expect(sim.clock.now()).toBe(50);
    expect(target.attempts[0]?.call.cancellation.cancelled).toBe(false);
    expect(sim.events).toEqual([]);
  });

  it('T34: one call that times out does not abort another', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const send = timeout({ limitMs: 50 }, sim.runtime)(target.send);
    const first = watch(sim.clock, send('first', callOf()));
    await sim.clock.advance(30);
    const second = watch(sim.clock, send('second', callOf()));
    await sim.clock.advance(20);
    expect([ending(first), ending(second)]).toEqual(['timeout', 'pending']);
    expect(target.attempts.map((attempt) => attempt.aborted)).toEqual([true, false]);
    target.attempts[1]?.answer(confirmed('paid'));
    await sim.clock.runUntilIdle();
    expect(ending(second)).toBe('confirmed');
  });

  it('T37: of 20 calls that time out, none goes on', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('late')], 500);
    const send = timeout({ limitMs: 50 }, sim.runtime)(target.send);
    const calls = Array.from({ length: 20 }, () => watch(sim.clock, send('order', callOf())));
    await sim.clock.advance(50);
    expect(calls.map(ending)).toEqual(new Array(20).fill('timeout'));
    expect(target.attempts.map((attempt) => attempt.aborted)).toEqual(new Array(20).fill(true));
    expect(sim.count('zombie')).toBe(0);
  });

  it('T38: limits of 100, 300 and 900 ms fire each at its own time', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const calls = [900, 100, 300].map((limitMs) =>
      watch(sim.clock, timeout({ limitMs }, sim.runtime)(target.send)('order', callOf())),
    );
    await sim.clock.runUntilIdle();
    expect(calls.map((call) => call.settledAtMs)).toEqual([900, 100, 300]);
  });

  it('waits for the rest when a real timer fires a fraction early', async () => {
    const sim = new Simulation();
    const early: Runtime = {
      ...sim.runtime,
      clock: {
        now: () => sim.clock.now(),
        after: (ms, fire) => sim.clock.after(Math.max(1, Math.floor(ms)), fire),
      },
    };
    const target = new FakeTarget(sim.clock);
    const call = watch(sim.clock, timeout({ limitMs: 50.7 }, early)(target.send)('order', callOf()));
    await sim.clock.advance(50.6);
    expect(ending(call)).toBe('pending');
    await sim.clock.runUntilIdle();
    expect(ending(call)).toBe('timeout');
    expect(call.settledAtMs).toBe(51);
  });

  it('T41: the caller who cancels gets cancelled with that very reason, and never timeout', async () => {
    for (const abort of [true, false]) {
      const sim = new Simulation();
      const target = new FakeTarget(sim.clock);
      const cancellation = new Cancellation();
      const reason = new Error('the client has gone');
      const send = timeout({ limitMs: 50, abort }, sim.runtime)(target.send);
      const call = watch(sim.clock, send('order', callOf({ cancellation })));
      await sim.clock.advance(49);
      cancellation.cancel(reason);
      await sim.clock.runUntilIdle();
      expect(call).toEqual({ outcome: failed('cancelled', { reason }), settledAtMs: 49 });
      expect(call.outcome?.ok === false && call.outcome.failure.reason).toBe(reason);
      expect(target.attempts[0]?.aborted).toBe(true);
      expect(target.attempts[0]?.call.cancellation.reason).toBe(reason);
      expect(sim.events).toEqual([]);
    }
  });

  it('makes no attempt for a caller who has cancelled before', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const cancellation = new Cancellation();
    cancellation.cancel('gone');
    const call = watch(sim.clock, timeout({}, sim.runtime)(target.send)('order', callOf({ cancellation })));
    await sim.clock.advance(0);
    expect(call.outcome).toEqual(failed('cancelled', { reason: 'gone' }));
    expect(target.attempts).toEqual([]);
  });

  it('leaves a zombie when it may not abort, and ignores what that returns', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('late')], 500);
    const call = watch(
      sim.clock,
      timeout({ limitMs: 50, abort: false }, sim.runtime)(target.send)('order', callOf()),
    );
    await sim.clock.runUntilIdle();
    expect(call).toEqual({ outcome: failed('timeout'), settledAtMs: 50 });
    expect(target.attempts[0]?.aborted).toBe(false);
    expect(sim.events).toEqual([
      { type: 'timeout', atMs: 50 },
      { type: 'zombie', atMs: 50 },
    ]);
  });

  it('holds the work of a call from its early answer until the attempt has ended', async () => {
    const sim = new Simulation();
    const log: string[] = [];
    const work = {
      hold: () => log.push(`hold at ${sim.clock.now()}`),
      release: () => log.push(`release at ${sim.clock.now()}`),
    };
    const target = scripted(sim.clock, [confirmed('late')], 500);
    const send = timeout({ limitMs: 50, abort: false }, sim.runtime)(target.send);
    watch(sim.clock, send('order', callOf({ work })));
    await sim.clock.runUntilIdle();
    expect(log).toEqual(['hold at 50', 'release at 500']);
  });

  it('lets a bug through as a rejection, with nothing left behind', async () => {
    const sim = new Simulation();
    const cancellation = new Cancellation();
    const bug = new Error('bug');
    for (const send of [
      () => Promise.reject(bug),
      () => {
        throw bug;
      },
    ]) {
      await expect(timeout({}, sim.runtime)(send)('order', callOf({ cancellation }))).rejects.toBe(bug);
    }
    await sim.clock.runUntilIdle();
    expect(sim.count('timeout')).toBe(0);
  });

  it('refuses a limit that is out of range, and an option that it does not have', () => {
    const { runtime } = new Simulation();
    expect(() => timeout({ limitMs: 0 }, runtime)).toThrow(UsageError);
    expect(() => timeout({ limitMs: Number.NaN }, runtime)).toThrow(
      'timeout.limitMs is NaN; allowed: 1 to 3600000 ms',
    );
    expect(() => timeout({ limit: 5 } as object, runtime)).toThrow('timeout has no option "limit"');
  });

  it('T39: keeps nothing per call of one long-lived signal', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [confirmed('paid')]);
    const send = timeout({}, { clock: sim.clock, random: Math.random })(target.send);
    const controller = new AbortController();
    const cancellation = Cancellation.of(controller.signal);
    const calls = 100_000;
    const kept = await bytesKeptBy(async () => {
      for (let index = 0; index < calls; index += 1) {
        await send('order', callOf({ cancellation }));
        target.attempts.length = 0;
      }
    });
    // Less than a byte each: what remains is noise of the heap itself.
    expect(kept).toBeLessThan(calls);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  });

  it('does exactly what one timer for each call would do', async () => {
    const plan = fc.array(
      fc.record({
        startMs: fc.integer({ min: 0, max: 200 }),
        answerMs: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
        cancelMs: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 100 }), async (calls, limitMs) => {
        const run = async (layerOf: (runtime: Runtime) => Layer): Promise<unknown> => {
          const sim = new Simulation();
          const target = new FakeTarget(sim.clock, (attempt) => {
            const { answerMs } = attempt.request as (typeof calls)[number];
            // Halves, so that no answer comes in the same moment as a limit: that would be decided by the order of jobs.
            if (answerMs !== undefined)
              sim.clock.after(answerMs + 0.5, () => {
                attempt.answer(confirmed('paid'));
              });
          });
          const send = layerOf(sim.runtime)(target.send);
          const watched = calls.map((request) => {
            const result: { call?: ReturnType<typeof watch> } = {};
            sim.clock.after(request.startMs, () => {
              const cancellation = new Cancellation();
              result.call = watch(sim.clock, send(request, callOf({ cancellation })));
              if (request.cancelMs !== undefined) {
                sim.clock.after(request.cancelMs + 0.25, () => {
                  cancellation.cancel('gone');
                });
              }
            });
            return result;
          });
          await sim.clock.runUntilIdle();
          return { calls: watched, aborted: target.attempts.map((attempt) => attempt.aborted) };
        };
        expect(await run((runtime) => timeout({ limitMs }, runtime))).toEqual(
          await run((runtime) => oneTimerPerCall(runtime, limitMs)),
        );
      }),
    );
  });
});

/** The same behaviour in the plainest way, as a model. */
function oneTimerPerCall({ clock }: Runtime, limitMs: number): Layer {
  return (next) => (request, call) =>
    new Promise((resolve) => {
      const child = new Cancellation();
      const cancelTimer = clock.after(limitMs, () => {
        unlink();
        resolve(failed('timeout'));
        child.cancel();
      });
      const unlink = call.cancellation.onCancel((reason) => {
        cancelTimer();
        resolve(failed('cancelled', { reason }));
        child.cancel(reason);
      });
      void next(request, { ...call, cancellation: child }).then((outcome) => {
        cancelTimer();
        unlink();
        resolve(outcome);
      });
    });
}
