/** Clock: the only source of time that a layer has. */

/** Milliseconds, fractional, on a monotonic scale with an arbitrary zero. */
export type Millis = number;

export interface Clock {
  now(): Millis;
  /** Calls `fire` once, `delayMs` from now; returns a function that cancels it (harmless afterwards). */
  after(delayMs: Millis, fire: () => void): () => void;
}
