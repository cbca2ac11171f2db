/**
 * One monotonic time for every thread of the process and for its child processes.
 *
 * `performance.now()` counts from the start of its own thread, so two threads cannot compare it;
 * `process.hrtime` has one origin for the machine but costs a BigInt. The difference between the two is
 * constant in a thread, so it is taken once.
 */
import type { Clock } from '../patterns/clock.ts';

const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds, fractional to below a microsecond, comparable between all threads and processes of this machine. */
export function monotonicMs(): number {
  return performance.now() + offsetMs;
}

/** The longest delay a Node timer keeps; a longer one fires after 1 ms instead. */
const timerMaxMs = 2 ** 31 - 1;

/** The clock that layers run on outside of simulations. */
export const realClock: Clock = {
  now: monotonicMs,
  after(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(delayMs, timerMaxMs));
    return () => {
      clearTimeout(timer);
    };
  },
};
