/**
 * Metronome thread: wakes the load workers when something is due, and sends pulses to the loops that are observed.
 *
 * A timer on a loop is late by half a millisecond at the median; a thread of its own that sleeps in `Atomics.wait` is
 * late by less than a tenth, and no work of anybody else can hold it up.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromMetronome, MetronomePlan, ToMetronome } from '../harness/load-plan.ts';
import { beatAt, lastPulse, pulseEveryMs } from '../harness/pulse.ts';
import { workerOf } from '../harness/schedule.ts';
import { favourThisThread } from '../harness/thread-priority.ts';
import { monotonicMs } from '../harness/time.ts';

/** Ticks are at least this far apart: at high rates, what comes due in between goes with the next one. */
const tickEveryMs = 0.15;

const { dueMs, ticks, pulses, stop } = workerData as MetronomePlan;
const main = parentPort;
if (main === null) throw new Error('the metronome runs in a thread of its own');

favourThisThread();
main.once('message', (message: ToMetronome) => {
  beat(message.startMs);
  for (const port of pulses) port.postMessage(lastPulse);
  for (const port of [...pulses, ...ticks]) port.close();
});
main.postMessage('ready' satisfies FromMetronome);

function beat(startMs: number): void {
  let next = 0;
  let tickAtMs = -Infinity;
  let pulseAtMs = startMs;
  const isDue = new Array<boolean>(ticks.length);

  while (Atomics.load(stop, 0) === 0) {
    const arrivalMs = dueMs[next];
    const wakeMs =
      arrivalMs === undefined ? pulseAtMs : Math.min(pulseAtMs, Math.max(startMs + arrivalMs, tickAtMs));
    let nowMs = monotonicMs();
    if (nowMs < wakeMs) {
      // Ends early when somebody stops the metronome; the loop looks at the time again in any case.
      Atomics.wait(stop, 0, 0, wakeMs - nowMs);
      continue;
    }
    // Ticks go first: a request that is late is worse than a late pulse, which carries its own time.
    if (nowMs >= tickAtMs) {
      isDue.fill(false);
      for (; startMs + (dueMs[next] ?? Infinity) <= nowMs; next += 1) {
        isDue[workerOf(next, ticks.length)] = true;
        tickAtMs = nowMs + tickEveryMs;
      }
      for (const [worker, port] of ticks.entries()) if (isDue[worker]) port.postMessage(nowMs);
    }
    nowMs = monotonicMs();
    if (nowMs >= pulseAtMs) {
      for (const port of pulses) port.postMessage(monotonicMs());
      // Beats that the host made impossible are left out; the next pulse stands for them.
      pulseAtMs = (beatAt(nowMs) + 1) * pulseEveryMs;
    }
  }
}
