import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { driveOpenLoop, type Outbox } from './load-drivers.ts';

const ports: MessagePort[] = [];

afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** An outbox that notes what it was given, in place of a gateway. */
class Notes implements Outbox {
  readonly sent: { readonly index: number; readonly end: (nowMs: number) => void }[] = [];
  readonly skipped: number[] = [];
  full = false;
  ended = 0;
  readonly isFull = () => this.full;
  readonly send = (index: number, _intendedMs: number, end: (nowMs: number) => void) => {
    this.sent.push({ index, end });
  };
  readonly skip = (index: number) => {
    this.skipped.push(index);
  };
  readonly exhausted = () => {
    this.ended += 1;
  };
}

/** Starts a trial far in the future, so that only the moments that a test names are ever reached. */
function drive(dueMs: readonly number[], outbox: Outbox) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const startMs = 1e12;
  const loop = { kind: 'open', dueMs: Float64Array.from(dueMs), ticks: port2 } as const;
  const times = { startMs, windowStartMs: startMs, windowEndMs: Infinity, deadlineMs: Infinity };
  driveOpenLoop({ worker: 0, workers: 1 }, loop, times, outbox);
  return {
    startMs,
    tick: async (atMs: number) => {
      const arrived = once(port2, 'message');
      port1.postMessage(startMs + atMs);
      await arrived;
    },
  };
}

test('a tick sends everything that is due by then', async () => {
  const outbox = new Notes();
  const { tick } = drive([0, 5, 10], outbox);
  await tick(7);
  expect(outbox.sent.map(({ index }) => index)).toEqual([0, 1]);
});

test('an answer sends what has come due while it was waited for, and no more', async () => {
  const outbox = new Notes();
  const { startMs, tick } = drive([0, 5, 10], outbox);
  await tick(0);
  outbox.sent[0]?.end(startMs + 7);
  expect(outbox.sent.map(({ index }) => index)).toEqual([0, 1]);
});

test('what comes due while the outbox is full is skipped', async () => {
  const outbox = new Notes();
  const { tick } = drive([0, 5], outbox);
  await tick(0);
  outbox.full = true;
  await tick(5);
  expect(outbox.skipped).toEqual([1]);
});

test('the end of the schedule is told once, whether a tick or an answer reached it', async () => {
  const outbox = new Notes();
  const { startMs, tick } = drive([0, 5], outbox);
  await tick(0);
  outbox.sent[0]?.end(startMs + 5);
  await tick(6);
  outbox.sent[1]?.end(startMs + 8);
  expect(outbox.ended).toBe(1);
});
