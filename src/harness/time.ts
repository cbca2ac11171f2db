/**
 * One monotonic time for every thread of the process and for its child processes.
 *
 * `performance.now()` counts from the start of its own thread, so two threads cannot compare it;
 * `process.hrtime` has one origin for the machine but costs a BigInt. The difference between the two is
 * constant in a thread, so it is measured once.
 */
import type { Clock } from '../patterns/clock.ts';
import { realClock as clockOfThread } from '../patterns/real-runtime.ts';

const offsetMs = measureOffset();

/** A thread that loses its core between the two readings measures too little, so the largest of several is the truest. */
function measureOffset(): number {
  let offset = -Infinity;
  for (let reading = 0; reading < 20; reading += 1) {
    offset = Math.max(offset, Number(process.hrtime.bigint()) / 1e6 - performance.now());
  }
  return offset;
}

/** Milliseconds, fractional to below a microsecond, comparable between all threads and processes of this machine. */
export function monotonicMs(): number {
  return clockOfThread.now() + offsetMs;
}

/** The clock that layers run on in the laboratory: the real one, on the time that all threads share. */
export const realClock: Clock = { ...clockOfThread, now: monotonicMs };
