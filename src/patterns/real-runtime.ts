/** Real runtime: the clock and the randomness that layers have when nobody gives them others. */
import type { Clock, Millis } from './clock.ts';
import type { Runtime } from './layer.ts';

// Looked up once: the globals are behind getters that cost a fifth of a reading. So fake timers that are installed later
// do not reach this clock, neither its readings nor its timers; a test gives the layers a clock of its own (`SimClock`).
const { performance, setTimeout, clearTimeout } = globalThis;

/** The longest delay a Node timer keeps; a longer one fires after 1 ms instead. */
const timerMaxMs = 2 ** 31 - 1;

/** `performance.now()` and `setTimeout`. A timer keeps the process alive until it has fired or is cancelled. */
export const realClock: Clock = {
  now: performance.now.bind(performance),
  after(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(delayMs, timerMaxMs));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Milliseconds since 1970: what dates in HTTP headers are held against. */
export const realWallClock: () => Millis = Date.now;

/** The real clock, `Math.random`, and nobody who listens. `{ ...realRuntime, report }` is one with a listener. */
export const realRuntime: Runtime = { clock: realClock, random: Math.random };
