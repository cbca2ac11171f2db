import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { callFrom } from '../../patterns/call.ts';
import type { PolicyEvent } from '../../patterns/events.ts';
import type { Layer, Send } from '../../patterns/layer.ts';
import { confirmed, failed, type Outcome } from '../../patterns/outcome.ts';
import type { CallWrapper } from '../../patterns/own-stack.ts';
import { realRuntime } from '../../patterns/real-runtime.ts';
import type { OwnExport } from './own-export.ts';
import { OwnFaults } from './own-faults.ts';
import { ownLayer } from './own-layer.ts';

interface Tried {
  readonly outcome: Outcome<unknown>;
  readonly faults: readonly string[];
  readonly events: readonly string[];
}

const paid = { paymentId: 'p1' };

async function through(own: OwnExport, send: Send<string, unknown>, signal?: AbortSignal): Promise<Tried> {
  const faults = new OwnFaults('./mine.ts', 'payments');
  const events: string[] = [];
  const report = ({ type }: PolicyEvent) => events.push(type);
  const layer = ownLayer(own, { ...realRuntime, report }, faults);
  const outcome = await layer(send)('order', callFrom({ signal }));
  return { outcome, faults: faults.lines(realRuntime.clock.now()), events };
}

const answering = (outcome: Outcome<unknown>) => () => Promise.resolve(outcome);
const wrapper = (own: unknown): OwnExport => ({ kind: 'function', wrapper: own as CallWrapper });
const layers = (...own: unknown[]): OwnExport => ({ kind: 'layers', layers: own as Layer[] });

describe('a function around a call', () => {
  it.each([
    [confirmed(paid)],
    [failed('http-5xx', { status: 503, retryAfterMs: 2000 })],
    [failed('http-4xx', { status: 409 })],
    [failed('timeout')],
    [failed('refused')],
    [failed('reset')],
  ])('leaves an outcome that it passes on as it is: %j', async (given) => {
    const tried = await through(
      wrapper((call: () => unknown) => call()),
      answering(given),
    );
    expect(tried).toEqual({ outcome: given, faults: [], events: [] });
  });

  it('sees what fetch would show it', async () => {
    const seen: unknown[] = [];
    const spy: CallWrapper = async (call) => {
      const response = await call();
      seen.push(response.status, response.headers.get('retry-after'), await response.clone().text());
      return response;
    };
    await through(wrapper(spy), answering(confirmed(paid)));
    await through(wrapper(spy), answering(failed('http-5xx', { status: 503, retryAfterMs: 1500 })));
    expect(seen).toEqual([201, null, JSON.stringify(paid), 503, '2', '']);
  });

  it('can try again', async () => {
    let attempts = 0;
    const twice: CallWrapper = async (call) => {
      const first = await call();
      return first.ok ? first : call();
    };
    const { outcome } = await through(wrapper(twice), () => {
      attempts += 1;
      return Promise.resolve(attempts === 1 ? failed('http-5xx', { status: 500 }) : confirmed(paid));
    });
    expect([attempts, outcome]).toEqual([2, confirmed(paid)]);
  });

  it('has failed as its last attempt did where its own error says nothing', async () => {
    const own: CallWrapper = async (call) => {
      const { status } = await call();
      throw new Error(`answered ${status}`);
    };
    const tried = await through(wrapper(own), answering(failed('http-5xx', { status: 500 })));
    expect(tried.outcome).toEqual(failed('http-5xx', { status: 500 }));
    expect(tried.faults).toEqual([]);
  });

  it('is known by what it throws when it rejects a call', async () => {
    const own = () => Promise.reject(Object.assign(new Error('open'), { code: 'EOPENBREAKER' }));
    expect(await through(wrapper(own), answering(confirmed(paid)))).toEqual({
      outcome: failed('breaker-open'),
      faults: [],
      events: ['breaker-open'],
    });
  });

  it('does not make a payment by answering with a response of its own', async () => {
    const own = () => Promise.resolve(Response.json({ paymentId: 'made up' }));
    const { outcome } = await through(wrapper(own), answering(confirmed(paid)));
    expect(outcome).toEqual(failed('shed'));
  });

  it('may pack the response of its attempt anew', async () => {
    const own: CallWrapper = async (call) => {
      const response = await call();
      return new Response(await response.text(), { status: 200 });
    };
    expect((await through(wrapper(own), answering(confirmed(paid)))).outcome).toEqual(confirmed(paid));
  });

  it('is at fault if it throws although nothing has failed', async () => {
    const own = () => {
      throw new TypeError('cannot read\nproperties');
    };
    const { outcome, faults } = await through(wrapper(own), answering(confirmed(paid)));
    expect(outcome).toEqual(failed('shed'));
    expect(faults).toEqual([
      './mine.ts threw in 1 call to payments, first: TypeError: cannot read properties',
    ]);
  });

  it.each([
    [undefined, 'undefined'],
    ['paid', '"paid"'],
    [{}, 'an object'],
  ])('is at fault if it answers with %j', async (answer, words) => {
    const { outcome, faults } = await through(
      wrapper(() => Promise.resolve(answer)),
      answering(confirmed(paid)),
    );
    expect(outcome.ok).toBe(false);
    expect(faults).toEqual([`./mine.ts answered 1 call to payments with ${words}, which is not a Response`]);
  });

  it.each([['a signal'], ['a context with a signal']])('ends an attempt by %s', async (how) => {
    let ended = false;
    const own: CallWrapper = async (call) => {
      const controller = new AbortController();
      setTimeout(() => {
        controller.abort();
      }, 5);
      return call(how === 'a signal' ? controller.signal : { signal: controller.signal });
    };
    const { outcome, events } = await through(wrapper(own), (_, { cancellation }) => {
      return new Promise((resolve) => {
        cancellation.onCancel((reason) => {
          ended = true;
          resolve(failed('cancelled', { reason }));
        });
      });
    });
    expect(ended).toBe(true);
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'timeout' } });
    expect(events).toEqual([]);
  });

  it('may give all its attempts the same signal, which has one listener then', async () => {
    const { signal } = new AbortController();
    const answers: ((outcome: Outcome<unknown>) => void)[] = [];
    const own: CallWrapper = async (call) => {
      const attempts = Array.from({ length: 20 }, () => call(signal));
      const listening = getEventListeners(signal, 'abort').length;
      for (const answer of answers) answer(confirmed(paid));
      await Promise.all(attempts);
      expect(listening).toBe(1);
      return attempts[0] ?? expect.fail();
    };
    const { outcome } = await through(wrapper(own), () => new Promise((resolve) => answers.push(resolve)));
    expect(outcome).toEqual(confirmed(paid));
  });

  it('is counted with a zombie for an attempt that outlives its answer', async () => {
    const own: CallWrapper = (call) => {
      void call();
      return Promise.reject(new DOMException('too slow', 'TimeoutError'));
    };
    const { outcome, events } = await through(wrapper(own), () => new Promise(() => undefined));
    expect([outcome, events]).toEqual([failed('timeout'), ['zombie']]);
  });

  it('is not waited for when the caller has gone, and its attempts end', async () => {
    let ended = false;
    const caller = new AbortController();
    const own: CallWrapper = (call) => {
      void call().catch(() => undefined);
      return new Promise(() => undefined);
    };
    const tried = through(
      wrapper(own),
      (_, { cancellation }) => {
        cancellation.onCancel(() => {
          ended = true;
        });
        return new Promise(() => undefined);
      },
      caller.signal,
    );
    caller.abort('gone');
    expect((await tried).outcome).toEqual(failed('cancelled', { reason: 'gone' }));
    expect(ended).toBe(true);
  });
});

describe("layers of the user's own", () => {
  it('are put around the call, outermost first', async () => {
    const seen: string[] = [];
    const named =
      (name: string): Layer =>
      (next) =>
      (request, call) => {
        seen.push(name);
        return next(request, call);
      };
    const { outcome } = await through(layers(named('outer'), named('inner')), answering(confirmed(paid)));
    expect([seen, outcome]).toEqual([['outer', 'inner'], confirmed(paid)]);
  });

  it('are at fault if they throw or answer with no outcome', async () => {
    const throwing = () => () => {
      throw new Error('oh');
    };
    const odd = () => () => Promise.resolve(new Response());
    expect(await through(layers(throwing), answering(confirmed(paid)))).toMatchObject({
      outcome: failed('http-5xx'),
      faults: ['./mine.ts threw in 1 call to payments, first: Error: oh'],
    });
    expect(await through(layers(odd), answering(confirmed(paid)))).toMatchObject({
      outcome: failed('http-5xx'),
      faults: ['./mine.ts answered 1 call to payments with an object, which is not an outcome'],
    });
  });
});

describe('OwnFaults', () => {
  it('tells a call that never settles from one that is under way', async () => {
    const faults = new OwnFaults('./mine.ts', 'payments');
    void faults.watch(0, () => new Promise(() => undefined));
    void faults.watch(95_000, () => new Promise(() => undefined));
    await faults.watch(0, () => Promise.resolve());
    expect(faults.lines(100_000)).toEqual(['./mine.ts never settled 1 call to payments']);
  });
});
