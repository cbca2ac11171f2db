import { afterEach, describe, expect, it } from 'vitest';
import {
  installLine,
  loadPeer,
  type Peer,
  type PeerLayer,
  type PeerName,
  peerNames,
  type PeerSettings,
  type PeerStack,
} from './peer-stack.ts';

const settings: PeerSettings = {
  retriesMax: 2,
  baseMs: 1,
  capMs: 1,
  windowMs: 10_000,
  failureRate: 0.5,
  callsMin: 4,
  openMs: 60_000,
  concurrentMax: 1,
  queueMax: 0,
  limitMs: 20,
  isRetryable: (error) => error === failure,
};
const failure = new Error('failed');
const stacks: PeerStack[] = [];

afterEach(() => {
  for (const stack of stacks.splice(0)) stack.close();
});

function peerOf(name: PeerName): Peer {
  const peer = loadPeer(name);
  if (peer === undefined) throw new Error(installLine(name));
  return peer;
}

function stackOf(name: PeerName, layers: PeerLayer[]): PeerStack {
  const stack = peerOf(name).build(layers, settings);
  if (stack === undefined) throw new Error(`${name} has no ${layers.join('+')}`);
  stacks.push(stack);
  return stack;
}

/** How many of the calls reached a target that does as it is told. */
async function attemptsOf(stack: PeerStack, calls: number, answer: () => Promise<string>): Promise<number> {
  let attempts = 0;
  for (let made = 0; made < calls; made += 1) {
    await stack
      .call(() => {
        attempts += 1;
        return answer();
      })
      .catch(() => undefined);
  }
  return attempts;
}

describe.each(peerNames)('%s', (name) => {
  it('opens its breaker after the least number of calls', async () => {
    const stack = stackOf(name, ['breaker']);
    expect(await attemptsOf(stack, 20, () => Promise.reject(failure))).toBe(settings.callsMin);
  });

  it('keeps its breaker closed while few enough fail', async () => {
    const stack = stackOf(name, ['breaker']);
    let made = 0;
    const oneInFour = () => (++made % 4 === 0 ? Promise.reject(failure) : Promise.resolve('paid'));
    expect(await attemptsOf(stack, 40, oneInFour)).toBe(40);
  });

  it('answers at the limit of its timeout although the attempt goes on', async () => {
    const stack = stackOf(name, ['breaker', 'timeout']);
    await expect(stack.call(() => new Promise(() => undefined))).rejects.toThrow(/timed out/i);
  });

  it('turns away who finds no place in its bulkhead', async () => {
    const stack = stackOf(name, ['breaker', 'bulkhead']);
    let answer: (value: string) => void = () => undefined;
    const first = stack.call(() => new Promise<string>((resolve) => (answer = resolve)));
    await expect(stack.call(() => Promise.resolve('paid'))).rejects.toThrow();
    answer('paid');
    expect(await first).toBe('paid');
    expect(await stack.call(() => Promise.resolve('paid'))).toBe('paid');
  });
});

describe('cockatiel', () => {
  it('tries again what may be tried again, and nothing that its own breaker has turned away', async () => {
    const stack = stackOf('cockatiel', ['retry', 'breaker']);
    expect(await attemptsOf(stack, 1, () => Promise.reject(failure))).toBe(1 + settings.retriesMax);
    expect(await attemptsOf(stack, 5, () => Promise.reject(new Error('other')))).toBe(1);
  });

  it('aborts what it no longer waits for', async () => {
    const stack = stackOf('cockatiel', ['timeout']);
    let signal: AbortSignal | undefined;
    const call = stack.call((given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    await expect(call).rejects.toThrow();
    expect(signal?.aborted).toBe(true);
  });
});

describe('opossum', () => {
  it('has no retry and nothing without a breaker', () => {
    const peer = peerOf('opossum');
    expect(peer.build(['retry', 'breaker'], settings)).toBeUndefined();
    expect(peer.build(['timeout'], settings)).toBeUndefined();
  });
});
