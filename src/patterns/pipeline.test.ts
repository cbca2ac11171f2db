import { describe, expect, it } from 'vitest';
import { bulkhead } from './bulkhead.ts';
import { breaker } from './breaker.ts';
import type { Call } from './call.ts';
import { bytesKeptBy } from './heap.test.kit.ts';
import type { Layer } from './layer.ts';
import { confirmed, failed } from './outcome.ts';
import { compose, pipeline } from './pipeline.ts';
import { realRuntime } from './real-runtime.ts';
import { retry } from './retry.ts';
import { callOf, ending, FakeTarget, scripted, Simulation, watch } from './sim.test.kit.ts';
import { timeout } from './timeout.ts';

/** A layer that writes its name down. */
function named(name: string, log: string[]): Layer {
  return (next) => (request, call) => {
    log.push(name);
    return next(request, call);
  };
}

describe('compose', () => {
  it('puts the first layer outermost', async () => {
    const log: string[] = [];
    const send = compose([named('retry', log), named('breaker', log), named('timeout', log)], () =>
      Promise.resolve(confirmed('paid')),
    );
    await send('order', callOf());
    expect(log).toEqual(['retry', 'breaker', 'timeout']);
  });
});

describe('pipeline, with a signal for each call', () => {
  it('keeps none of them, whose sources live long', { timeout: 60_000 }, async () => {
    const { signal } = new AbortController();
    const client = pipeline([retry(), breaker(), bulkhead(), timeout()], () =>
      Promise.resolve(confirmed('paid')),
    );
    const kept = await bytesKeptBy(async () => {
      for (let call = 0; call < 5000; call += 1) await client('order', { signal: AbortSignal.any([signal]) });
    });
    // One that is listened to for ever keeps some 1,600 bytes.
    expect(kept).toBeLessThan(5000 * 400);
  });

  it('hears each of many that are idle between its calls', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const client = pipeline([timeout({ limitMs: 50 }, sim.runtime)], target.send);
    const controllers = Array.from({ length: 40 }, () => new AbortController());
    for (const { signal } of controllers) {
      const call = watch(sim.clock, client('order', { signal }));
      target.attempts.at(-1)?.answer(confirmed('paid'));
      await sim.clock.advance(0);
      expect(ending(call)).toBe('confirmed');
    }
    const calls = controllers.map(({ signal }) => watch(sim.clock, client('order', { signal })));
    for (const controller of controllers) controller.abort('gone');
    await sim.clock.advance(0);
    expect(calls.map(ending)).toEqual(new Array(40).fill('cancelled'));
    const late = watch(sim.clock, client('order', { signal: controllers[0]?.signal }));
    await sim.clock.advance(0);
    expect(ending(late)).toBe('cancelled');
  });
});

describe('pipeline', () => {
  /** What the innermost send gets to see of a call that was made with these options. */
  async function seen(options?: Parameters<ReturnType<typeof pipeline>>[1]): Promise<Call> {
    const calls: Call[] = [];
    const client = pipeline([retry(), timeout()], (_: string, call) => {
      calls.push(call);
      return Promise.resolve(confirmed('paid'));
    });
    await client('order', options);
    return calls[0] as Call;
  }

  it('works with nothing but layers and a send', async () => {
    const client = pipeline([retry(), breaker(), bulkhead(), timeout()], (order: string) =>
      Promise.resolve(confirmed(`${order} paid`)),
    );
    expect(await client('order')).toEqual(confirmed('order paid'));
  });

  it('takes a call for one that must not be repeated unless it is told', async () => {
    expect((await seen()).method).toBe('POST');
    const call = await seen({ method: 'PUT', idempotencyKey: 'k1', replayable: false, deadlineMs: 5 });
    expect(call).toMatchObject({ method: 'PUT', idempotencyKey: 'k1', replayable: false, deadlineMs: 5 });
  });

  it('knows a method however it is written', async () => {
    expect((await seen({ method: 'get' })).method).toBe('GET');
  });

  it.each([retry, breaker, bulkhead, timeout])('says that a layer has to be made: %o', (layer) => {
    expect(() => pipeline([layer as never], () => Promise.resolve(confirmed('paid')))).toThrow(
      /^(\w+) takes its options as an object, not as a function; a layer is made by \1\(\)$/,
    );
  });

  it('says what is missing', () => {
    const send = () => Promise.resolve(confirmed('paid'));
    expect(() => pipeline(retry() as never, send)).toThrow(
      /^pipeline takes an array of layers.* is a function$/,
    );
    expect(() => pipeline([retry()], undefined as never)).toThrow(
      /^pipeline takes the send .* it is of type undefined$/,
    );
  });

  it('takes a call back when its signal is aborted, with the reason of the signal', async () => {
    const sim = new Simulation();
    const target = new FakeTarget(sim.clock);
    const controller = new AbortController();
    const client = pipeline([retry({}, sim.runtime), timeout({}, sim.runtime)], target.send);
    const result = watch(sim.clock, client('order', { signal: controller.signal }));
    await sim.clock.advance(10);
    expect(ending(result)).toBe('pending');
    controller.abort('gone');
    await sim.clock.advance(0);
    expect(result.outcome).toEqual(failed('cancelled', { reason: 'gone' }));
    expect(target.attempts[0]?.aborted).toBe(true);
    await sim.clock.runUntilIdle();
    expect(sim.clock.now()).toBeLessThanOrEqual(110);
  });

  it('keeps nothing of a million calls on one long-lived signal', async () => {
    const { signal } = new AbortController();
    const layers = [retry(), breaker(), bulkhead({ concurrentMax: 100 }), timeout()];
    const client = pipeline(layers, () => Promise.resolve(confirmed('paid')));
    const atOnce = 100;
    const kept = await bytesKeptBy(async () => {
      for (let done = 0; done < 500_000; done += atOnce) {
        await Promise.all(Array.from({ length: atOnce }, () => client('order', { signal })));
      }
    });
    // The second half against the first: less than half a byte for each call of a half.
    expect(kept).toBeLessThan(250_000);
  });
});

describe('realRuntime', () => {
  it('retries on the real clock', async () => {
    const sim = new Simulation();
    const target = scripted(sim.clock, [failed('reset'), confirmed('paid')]);
    const client = pipeline([retry({ baseMs: 1 }, realRuntime), timeout({ limitMs: 10_000 })], target.send);
    expect(await client('order', { method: 'PUT' })).toEqual(confirmed('paid'));
    expect(target.attempts).toHaveLength(2);
  });
});
