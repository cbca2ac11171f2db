import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

describe('Cancellation', () => {
  it('tells every listener once, in order, with the very reason', () => {
    const cancellation = new Cancellation();
    const reason = { why: 'gone' };
    const heard: [string, unknown][] = [];
    for (const name of ['a', 'b', 'c']) cancellation.onCancel((given) => heard.push([name, given]));
    cancellation.cancel(reason);
    cancellation.cancel('again');
    expect(heard).toEqual([
      ['a', reason],
      ['b', reason],
      ['c', reason],
    ]);
    expect(heard[0]?.[1]).toBe(reason);
    expect(cancellation.reason).toBe(reason);
  });

  it('is cancelled before its listeners hear of it', () => {
    const cancellation = new Cancellation();
    let seen = false;
    cancellation.onCancel(() => {
      seen = cancellation.cancelled;
    });
    cancellation.cancel();
    expect(seen).toBe(true);
  });

  it('tells a listener that comes late at once', () => {
    const cancellation = new Cancellation();
    cancellation.cancel('gone');
    let heard: unknown;
    cancellation.onCancel((reason) => {
      heard = reason;
    });
    expect(heard).toBe('gone');
  });

  it('tells nobody who has been unlinked, whichever of many it was', () => {
    for (const leaving of [0, 1, 2]) {
      const cancellation = new Cancellation();
      const heard: number[] = [];
      const unlinks = [0, 1, 2].map((index) => cancellation.onCancel(() => heard.push(index)));
      unlinks[leaving]?.();
      unlinks[leaving]?.();
      cancellation.cancel();
      expect(heard).toEqual([0, 1, 2].filter((index) => index !== leaving));
    }
  });

  it('does not tell one that another listener unlinks', () => {
    const cancellation = new Cancellation();
    const heard: string[] = [];
    cancellation.onCancel(() => {
      heard.push('first');
      unlinkThird();
    });
    cancellation.onCancel(() => heard.push('second'));
    const unlinkThird = cancellation.onCancel(() => heard.push('third'));
    cancellation.cancel();
    expect(heard).toEqual(['first', 'second']);
  });

  it('tells everybody even if some of them throw, and then throws what the first one did', () => {
    const cancellation = new Cancellation();
    const { signal } = cancellation;
    const heard: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      cancellation.onCancel(() => {
        heard.push(name);
        if (name !== 'c') throw new Error(name);
      });
    }
    expect(() => {
      cancellation.cancel('gone');
    }).toThrow('a');
    expect([heard.join(''), signal.aborted]).toEqual(['abc', true]);
  });

  it('keeps the same function as often as it was given', () => {
    const cancellation = new Cancellation();
    let heard = 0;
    const listener = (): void => {
      heard += 1;
    };
    const unlink = cancellation.onCancel(listener);
    cancellation.onCancel(listener);
    unlink();
    cancellation.cancel();
    expect(heard).toBe(1);
  });

  it('cancels its children with its own reason, and never the other way round', () => {
    const parent = new Cancellation();
    const children = [new Cancellation(), new Cancellation(), new Cancellation()];
    for (const child of children) parent.link(child);
    const [left, own, kept] = children;
    if (left === undefined || own === undefined || kept === undefined) throw new Error('three children');
    parent.unlink(left);
    own.cancel('mine');
    expect(parent.cancelled).toBe(false);
    parent.cancel('theirs');
    expect([left.cancelled, own.reason, kept.reason]).toEqual([false, 'mine', 'theirs']);
  });

  it('has a signal that is aborted with it, whenever it was asked for', () => {
    const before = new Cancellation();
    const signal = before.signal;
    expect(signal.aborted).toBe(false);
    expect(before.signal).toBe(signal);
    before.cancel('gone');
    const after = new Cancellation();
    after.cancel('gone');
    for (const one of [signal, after.signal]) {
      expect(one.aborted).toBe(true);
      expect(one.reason).toBe('gone');
    }
  });
});

describe('Cancellation.of', () => {
  it('is cancelled with the very reason of the signal', () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const cancellation = Cancellation.of(controller.signal);
    expect(cancellation.cancelled).toBe(false);
    controller.abort(reason);
    expect(cancellation.reason).toBe(reason);
  });

  it('is cancelled already if the signal is aborted already', () => {
    expect(Cancellation.of(AbortSignal.abort('gone')).reason).toBe('gone');
  });

  it('is not cancelled by anybody but the signal', () => {
    const { signal } = new AbortController();
    expect(() => {
      Cancellation.of(signal).cancel('mine');
    }).toThrow('a call that was made with a signal is taken back by aborting the signal');
    expect(Cancellation.of(signal).cancelled).toBe(false);
  });

  it('gives the very signal to those who want one', () => {
    const { signal } = new AbortController();
    expect(Cancellation.of(signal).signal).toBe(signal);
  });

  it('is one for each signal, with one listener on it', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    expect(Cancellation.of(one.signal)).toBe(Cancellation.of(one.signal));
    expect(Cancellation.of(one.signal)).not.toBe(Cancellation.of(other.signal));
    for (let child = 0; child < 3; child += 1) Cancellation.of(one.signal).link(new Cancellation());
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
    one.abort();
    expect(Cancellation.of(one.signal).cancelled).toBe(true);
    expect(Cancellation.of(other.signal).cancelled).toBe(false);
  });
});
