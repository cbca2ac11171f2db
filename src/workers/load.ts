/** Load worker: a piscina task that sends its share of a trial's requests and reports what came back. */
import { once } from 'node:events';
import {
  type FromLoad,
  type LoadReport,
  type LoadTask,
  stopLoad,
  type ToLoad,
  type TrialTimes,
} from '../harness/load-plan.ts';
import { LoopDelayProbe } from '../harness/loop-delay.ts';
import { stepMs } from '../harness/recorder-steps.ts';
import { favourThisThread } from '../harness/thread-priority.ts';
import { monotonicMs, realClock } from '../harness/time.ts';
import { type AnswerOutcome, LoadClient } from './load-client.ts';
import { loadRequests } from './load-requests.ts';
import { driveClosedLoop, driveOpenLoop, type Outbox } from './load-drivers.ts';
import { LoadLedger } from './load-ledger.ts';

// When the thread starts, long before the first request: it costs a fork.
const realTime = favourThisThread();

/**
 * Takes part in one trial, from the moment when it is told the times. Resolves after the window, as soon as nothing is in flight any more, at the latest at the
 * deadline, or soon after `stopLoad`. Whatever the gateway answers is an outcome, never an error.
 */
export default async function load(task: LoadTask): Promise<LoadReport> {
  const { progress } = task;
  const tell = (message: FromLoad) => {
    progress.postMessage(message);
  };
  const begun = once(progress, 'message') as Promise<[TrialTimes]>;
  tell('ready');
  const [times] = await begun;
  const ledger = new LoadLedger(times, task.loop.kind === 'open' ? task.loop.dueMs.length : 0, tell);
  const probe = new LoopDelayProbe(task.pulses);
  probe.startWindow(times.windowStartMs, times.windowEndMs);
  const stepTimer = setInterval(() => {
    ledger.advance(monotonicMs());
  }, stepMs);

  try {
    await traffic(task, times, ledger, (nowMs) => {
      ledger.cutWindow(nowMs);
      probe.endWindow(nowMs);
    });
    const loop = await probe.report();
    ledger.advance(monotonicMs());
    return { ...ledger.report(), loops: [loop], realTime };
  } finally {
    clearInterval(stepTimer);
    progress.close();
  }
}

/** Offers requests until the window ends, and waits for their answers until the deadline. */
function traffic(
  task: LoadTask,
  times: TrialTimes,
  ledger: LoadLedger,
  cutWindow: (nowMs: number) => void,
): Promise<void> {
  const client = new LoadClient(task.gatewayPort);
  return new Promise((resolve) => {
    let exhausted = false;
    let over = false;

    const finish = (nowMs: number) => {
      if (over) return;
      over = true;
      cancelDeadline();
      stopDriver(nowMs);
      ledger.abandon(nowMs);
      resolve(client.destroy());
    };
    const finishIfDone = () => {
      if (exhausted && ledger.inFlight.size === 0) finish(monotonicMs());
    };
    const outbox: Outbox = {
      isFull: () => ledger.inFlight.size >= task.inFlightMax,
      send(index, intendedMs, onEnd) {
        const request = ledger.sent(index, intendedMs, monotonicMs());
        const end = (outcome: AnswerOutcome) => {
          if (over) return;
          const nowMs = monotonicMs();
          ledger.ended(request, outcome, nowMs);
          onEnd(nowMs);
          finishIfDone();
        };
        client.send(loadRequests[request.requestClass](index, request.measured), end);
      },
      skip(index, intendedMs) {
        ledger.skipped(index, intendedMs, monotonicMs());
      },
      exhausted() {
        exhausted = true;
        finishIfDone();
      },
    };

    const cancelDeadline = realClock.after(Math.max(0, times.deadlineMs - monotonicMs()), () => {
      // A timer may be early by a fraction of a millisecond; what is due until the deadline counts all the same.
      finish(Math.max(monotonicMs(), times.deadlineMs));
    });
    task.progress.on('message', (message: ToLoad) => {
      if (message !== stopLoad) return;
      const nowMs = monotonicMs();
      cutWindow(nowMs);
      finish(nowMs);
    });
    const stopDriver =
      task.loop.kind === 'open'
        ? driveOpenLoop(task, task.loop, times, outbox)
        : driveClosedLoop(task, task.loop, times, outbox);
  });
}
