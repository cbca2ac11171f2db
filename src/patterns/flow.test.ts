import { describe, expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';
import { createBulkhead } from './bulkhead.ts';
import { type FlowLayer, layerOf, sendOf } from './flow.ts';
import type { Layer, Send } from './layer.ts';
import { confirmed, type Outcome } from './outcome.ts';
import { compose } from './pipeline.ts';
import { retry } from './retry.ts';
import { callOf, FakeTarget, Simulation } from './sim.test.kit.ts';
import { timeout } from './timeout.ts';

const done = confirmed('done');
const answers: Send<unknown, string> = () => Promise.resolve(done);

/** Which of `layers` a flow entered or left, in order; both flows and layers that know nothing of them. */
function noting(log: string[]) {
  const flow = (name: string): Layer => {
    const wrap: FlowLayer = (next) => (request, call, sink) => {
      log.push(`>${name}`);
      return next(request, call, {
        settle(outcome) {
          log.push(`<${name}`);
          return sink.settle(outcome);
        },
        crash: (error) => sink.crash(error),
      });
    };
    return layerOf(wrap);
  };
  const plain =
    (name: string): Layer =>
    (next) =>
    async (request, call) => {
      log.push(`>${name}`);
      const outcome = await next(request, call);
      log.push(`<${name}`);
      return outcome;
    };
  return { flow, plain };
}

describe('layers as flows', () => {
  it('go in and out in order, with layers that are none among them', async () => {
    const log: string[] = [];
    const { flow, plain } = noting(log);
    const stack = compose([flow('a'), flow('b'), plain('c'), flow('d'), flow('e')], answers);
    expect(await stack('order', callOf())).toBe(done);
    expect(log.join(' ')).toBe('>a >b >c >d >e <e <d <c <b <a');
  });

  it('have one promise together, however many they are', async () => {
    const log: string[] = [];
    const { flow } = noting(log);
    const layers = Array.from({ length: 20 }, (_, index) => flow(`${index}`));
    const turns = async (stack: Send<unknown, string>): Promise<number> => {
      const call = { turns: 0, ended: false };
      void stack('order', callOf()).then(() => {
        call.ended = true;
      });
      for (; !call.ended; call.turns += 1) await Promise.resolve();
      return call.turns;
    };
    expect(await turns(compose(layers, answers))).toBe(await turns(compose(layers.slice(0, 1), answers)));
  });

  it('hear of a send that throws, rejects or returns no promise', async () => {
    const bug = new Error('bug');
    const sends: Send<unknown, string>[] = [
      () => {
        throw bug;
      },
      () => Promise.reject(bug),
      () => undefined as unknown as Promise<Outcome<string>>,
    ];
    for (const send of sends) {
      const bulkhead = createBulkhead();
      const stack = compose([retry(), bulkhead.layer, timeout()], send);
      await expect(stack('order', callOf())).rejects.toThrow(/bug|\[object Undefined\]/);
      expect(bulkhead.active()).toBe(0);
    }
  });

  it('say what a send ended with that was no outcome, and give back what was taken for it', async () => {
    const ends: [end: () => Promise<unknown>, tag: string][] = [
      [() => Promise.resolve('done'), '[object String]'],
      [() => Promise.resolve(undefined), '[object Undefined]'],
      [() => Promise.resolve(new Response()), '[object Response]'],
      [() => Promise.resolve({ ok: false, failure: undefined }), '[object Object]'],
      [
        () => Promise.resolve({ ok: false, failure: { kind: 'oops' } }),
        'a failure of kind "oops", which does not exist',
      ],
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what is tested
      [() => Promise.reject('bug'), '[object String]'],
    ];
    for (const [end, tag] of ends) {
      const bulkhead = createBulkhead();
      const stack = compose([retry(), bulkhead.layer, timeout()], end as Send<unknown, string>);
      await expect(stack('order', callOf())).rejects.toThrow(`this one returned or threw ${tag}`);
      expect(bulkhead.active()).toBe(0);
    }
  });

  it('take an outcome from a send that has nothing to wait for', async () => {
    const sends = (() => done) as unknown as Send<unknown, string>;
    expect(await compose([retry(), createBulkhead().layer, timeout()], sends)('order', callOf())).toBe(done);
  });

  it('wait for what is no promise but can be waited for', async () => {
    const thenable = { then: (resolve: (outcome: Outcome<string>) => void) => setTimeout(resolve, 1, done) };
    const sends = (() => thenable) as unknown as Send<unknown, string>;
    expect(await compose([createBulkhead().layer], sends)('order', callOf())).toBe(done);
  });

  it('take an outcome for one even where it was thrown', async () => {
    const refused: Outcome<string> = { ok: false, failure: { kind: 'refused' } };
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what is tested
    const throws: Send<unknown, string> = () => Promise.reject(refused);
    expect(await compose([timeout()], throws)('order', callOf())).toBe(refused);
  });

  it('give calls of a closed breaker their own step where their way goes on', async () => {
    const { runtime, clock } = new Simulation();
    const target = new FakeTarget(clock);
    const breaker = createBreaker({ slowMs: 'off', callsMin: 2, failureRate: 1 }, runtime);
    const bulkhead = createBulkhead({ concurrentMax: 3 }, runtime);
    const stack = compose([bulkhead.layer, breaker.layer], target.send);
    const calls = [stack('a', callOf()), stack('b', callOf()), breaker.layer(target.send)('c', callOf())];
    expect(bulkhead.active()).toBe(2);
    target.attempts.forEach((attempt) => {
      attempt.answer(done);
    });
    expect(await Promise.all(calls)).toEqual([done, done, done]);
    expect(bulkhead.active()).toBe(0);
  });

  it('reject with what a listener throws, and give back what they had taken', async () => {
    const { runtime } = new Simulation();
    const bug = new Error('listener');
    const deaf = {
      ...runtime,
      report() {
        throw bug;
      },
    };
    const bulkhead = createBulkhead({}, runtime);
    const breaker = createBreaker({ callsMin: 1, failureRate: 0.5 }, deaf);
    const failing: Send<unknown, string> = () =>
      Promise.resolve({ ok: false, failure: { kind: 'http-5xx' } });
    const stack = compose([bulkhead.layer, breaker.layer], failing);
    await expect(stack('order', callOf())).rejects.toBe(bug);
    await expect(stack('order', callOf())).rejects.toBe(bug);
    expect(bulkhead.active()).toBe(0);
  });

  it('let a long queue go at once when a breaker inside turns it away', async () => {
    const { runtime, clock } = new Simulation();
    const target = new FakeTarget(clock);
    const bulkhead = createBulkhead({ concurrentMax: 1, queueMax: 50_000 }, runtime);
    const breaker = createBreaker({}, runtime);
    const stack = compose([bulkhead.layer, breaker.layer], target.send);
    const first = stack('order', callOf());
    const waiting = Array.from({ length: 50_000 }, () => stack('order', callOf()));
    breaker.trip();
    target.attempts[0]?.answer(done);
    expect(await first).toBe(done);
    const kinds = new Set((await Promise.all(waiting)).map((outcome) => !outcome.ok && outcome.failure.kind));
    expect([...kinds]).toEqual(['breaker-open']);
    expect([bulkhead.active(), bulkhead.waiting()]).toEqual([0, 0]);
  });

  it('are a send again for whoever asks', async () => {
    const send = sendOf<string, string>((request, _call, sink) => sink.settle(confirmed(request)));
    expect(await send('order', callOf())).toEqual(confirmed('order'));
  });
});
