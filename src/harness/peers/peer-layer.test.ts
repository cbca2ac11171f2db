import { afterEach, describe, expect, it } from 'vitest';
import { callFrom, plainCall } from '../../patterns/call.ts';
import type { PolicyEvent } from '../../patterns/events.ts';
import type { Send } from '../../patterns/layer.ts';
import { confirmed, failed, type FailureKind } from '../../patterns/outcome.ts';
import { realRuntime } from '../../patterns/real-runtime.ts';
import type { BuiltStack } from '../../patterns/stack.ts';
import { parseStackList } from '../measured-stack.ts';
import { buildPeerStack } from './peer-layer.ts';
import { installLine, loadPeer, type PeerName, peerNames } from './peer-stack.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function stackOf(name: PeerName, layers: string, ...settings: string[]) {
  const events: PolicyEvent[] = [];
  const peer = loadPeer(name) ?? expect.fail(installLine(name));
  const [plan = expect.fail('no stack')] = parseStackList(`${name}:${layers}`, settings);
  const stack = buildPeerStack(peer, plan.layers, { ...realRuntime, report: (event) => events.push(event) });
  closers.push(() => {
    stack.close();
  });
  return { stack, events };
}

async function call(stack: BuiltStack, send: Send<unknown, unknown>): Promise<FailureKind | 'confirmed'> {
  const outcome = await stack.apply(send)('order', plainCall);
  return outcome.ok ? 'confirmed' : outcome.failure.kind;
}

const well: Send<unknown, unknown> = () => Promise.resolve(confirmed('paid'));
const failing: Send<unknown, unknown> = () => Promise.resolve(failed('http-5xx', { status: 500 }));
const typesOf = (events: readonly PolicyEvent[]) => events.map(({ type }) => type);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Never answers; hears when it is ended. */
function hanging(): { send: Send<unknown, unknown>; ended: () => number } {
  let ended = 0;
  return {
    send: (_, { cancellation }) =>
      new Promise((resolve) => {
        cancellation.onCancel((reason) => {
          ended += 1;
          resolve(failed('cancelled', { reason }));
        });
      }),
    ended: () => ended,
  };
}

describe.each(peerNames)('%s', (name) => {
  it('opens, lets a probe through and closes, and reports each state in our words', async () => {
    const { stack, events } = stackOf(name, 'breaker', 'breaker.callsMin=4', 'breaker.openMs=50');
    const kinds = new Set<string>();
    for (let calls = 0; calls < 8; calls += 1) kinds.add(await call(stack, failing));
    expect([...kinds]).toEqual(['http-5xx', 'breaker-open']);
    expect(stack.breakerState()).toBe('open');
    await sleep(80);
    expect(await call(stack, well)).toBe('confirmed');
    expect(stack.breakerState()).toBe('closed');
    const states = events.flatMap((event) =>
      event.type === 'breaker-transition' ? [`${event.from} to ${event.to}`] : [],
    );
    expect(states).toEqual(['closed to open', 'open to half-open', 'half-open to closed']);
    expect(typesOf(events)).toContain('breaker-open');
  });

  it('does not open for what the caller has done wrong, and hands that on', async () => {
    const { stack } = stackOf(name, 'breaker', 'breaker.callsMin=4');
    for (let calls = 0; calls < 10; calls += 1) {
      expect(await call(stack, () => Promise.resolve(failed('http-4xx', { status: 404 })))).toBe('http-4xx');
    }
    expect(stack.breakerState()).toBe('closed');
  });

  it('rejects whom its bulkhead has no place for', async () => {
    const { stack, events } = stackOf(name, 'breaker+bulkhead', 'bulkhead.concurrentMax=1');
    const { send } = hanging();
    void call(stack, send);
    expect(await call(stack, well)).toBe('bulkhead-full');
    expect(typesOf(events)).toEqual(['bulkhead-full']);
  });

  it('ends its attempts when the caller has gone', async () => {
    const { stack } = stackOf(name, 'breaker');
    const { send, ended } = hanging();
    const caller = new AbortController();
    const outcome = stack.apply(send)('order', callFrom({ signal: caller.signal }));
    caller.abort('gone');
    expect(await outcome).toEqual(failed('cancelled', { reason: 'gone' }));
    expect(ended()).toBe(1);
  });
});

describe('at its time limit', () => {
  it('cockatiel ends the attempt', async () => {
    const { stack, events } = stackOf('cockatiel', 'breaker', 'timeout.limitMs=20');
    const { send, ended } = hanging();
    expect(await call(stack, send)).toBe('timeout');
    expect(ended()).toBe(1);
    expect(typesOf(events)).toEqual(['timeout']);
  });

  it('opossum leaves a zombie', async () => {
    const { stack, events } = stackOf('opossum', 'breaker', 'timeout.limitMs=20');
    const { send, ended } = hanging();
    expect(await call(stack, send)).toBe('timeout');
    expect(ended()).toBe(0);
    expect(typesOf(events)).toEqual(['timeout', 'zombie']);
  });
});

it('cockatiel tries again what ours would, its own timeouts too', async () => {
  const settings = ['retry.retriesMax=2', 'retry.baseMs=1', 'timeout.limitMs=20'];
  const { stack, events } = stackOf('cockatiel', 'retry', ...settings);
  expect(await call(stack, failing)).toBe('http-5xx');
  expect(await call(stack, hanging().send)).toBe('timeout');
  const retries = events.flatMap((event) => (event.type === 'retry' ? [[event.retry, event.after]] : []));
  expect(retries).toEqual([
    [1, 'http-5xx'],
    [2, 'http-5xx'],
    [1, 'timeout'],
    [2, 'timeout'],
  ]);
});
