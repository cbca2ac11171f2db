/** Load drivers: what decides when the next request goes out, in an open loop and in a closed one. */
import type { ClosedLoop, LoadTask, OpenLoop, Tick, TrialTimes } from '../harness/load-plan.ts';
import { workerOf } from '../harness/schedule.ts';
import { monotonicMs, realClock } from '../harness/time.ts';

/** What a driver does with a request whose time has come. */
export interface Outbox {
  /** Whether the in-flight cap is reached. */
  readonly isFull: () => boolean;
  /** Sends it. `onEnd` hears that it ended, unless the trial ended before. */
  readonly send: (index: number, intendedMs: number, onEnd: (nowMs: number) => void) => void;
  /** Counts it as offered and not sent. */
  readonly skip: (index: number, intendedMs: number) => void;
  /** The driver has offered all that it ever will. Not called before the driver has returned. */
  readonly exhausted: () => void;
}

/** Ends a driver: it sends nothing more, and skips what was due until now. */
export type StopDriver = (nowMs: number) => void;

/** Sends each request of the schedule when it is due. One that is late is sent at once; time lost is never made up. */
export function driveOpenLoop(
  task: Pick<LoadTask, 'worker' | 'workers'>,
  loop: OpenLoop,
  times: TrialTimes,
  outbox: Outbox,
): StopDriver {
  let next = task.worker;
  const dueMs = (index: number) => times.startMs + (loop.dueMs[index] ?? Infinity);
  const takeDue = (upToMs: number, take: (index: number, intendedMs: number) => void) => {
    for (; dueMs(next) <= upToMs; next += task.workers) take(next, dueMs(next));
  };
  const isExhausted = () => next >= loop.dueMs.length;

  const sendDue = (upToMs: number) => {
    if (isExhausted()) return;
    takeDue(upToMs, (index, intendedMs) => {
      if (outbox.isFull()) outbox.skip(index, intendedMs);
      else outbox.send(index, intendedMs, sendDue);
    });
    if (isExhausted()) outbox.exhausted();
  };

  // The worker may have been busy since the tick was sent, and more may be due by now. When hundreds of answers come
  // at once, the next tick waits behind them all; so each answer looks at the schedule too.
  loop.ticks.on('message', (tick: Tick) => {
    sendDue(Math.max(tick, monotonicMs()));
  });
  if (isExhausted()) queueMicrotask(outbox.exhausted);

  return (nowMs) => {
    loop.ticks.close();
    takeDue(nowMs, outbox.skip);
  };
}

/** Lets each user send, wait for the answer, think and send again, until the window ends. */
export function driveClosedLoop(
  { worker, workers }: Pick<LoadTask, 'worker' | 'workers'>,
  loop: ClosedLoop,
  times: TrialTimes,
  outbox: Outbox,
): StopDriver {
  let sent = 0;
  let stopped = false;
  const waits = new Set<() => void>();

  /** Never early: a timer may fire a fraction of a millisecond before its time, and is then set again. */
  const at = (momentMs: number, act: () => void) => {
    const cancel = realClock.after(Math.max(0, momentMs - monotonicMs()), () => {
      waits.delete(cancel);
      if (monotonicMs() < momentMs) at(momentMs, act);
      else act();
    });
    waits.add(cancel);
  };
  const turn = () => {
    const nowMs = monotonicMs();
    if (nowMs >= times.windowEndMs) return;
    const index = worker + sent * workers;
    sent += 1;
    outbox.send(index, nowMs, (endMs) => {
      if (!stopped) at(endMs + loop.thinkMs, turn);
    });
  };
  const stop = () => {
    stopped = true;
    for (const cancel of waits) cancel();
    waits.clear();
  };

  for (let user = 0; user < loop.users; user += 1) {
    if (workerOf(user, workers) !== worker) continue;
    at(times.startMs + (user / loop.users) * loop.thinkMs, turn);
  }
  at(times.windowEndMs, () => {
    stop();
    outbox.exhausted();
  });
  return stop;
}
