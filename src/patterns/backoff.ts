/** Backoff: how long to wait before a retry. */
import type { Millis } from './clock.ts';

/** Ways to spread a delay: see `backoffMs`. */
export const jitters = ['full', 'equal', 'decorrelated', 'proportional', 'none'] as const;

export type Jitter = (typeof jitters)[number];

export interface Backoff {
  readonly baseMs: Millis;
  readonly capMs: Millis;
  readonly jitter: Jitter;
}

/**
 * The delay before a retry, with `step = min(capMs, baseMs · 2^(retry − 1))`:
 *
 * | jitter | delay |
 * |---|---|
 * | `full` | uniform in [0, step) |
 * | `equal` | uniform in [step / 2, step) |
 * | `decorrelated` | uniform in [baseMs, 3 · the delay before), at most capMs |
 * | `proportional` | step and up to half of it more, so up to 1.5 · capMs |
 * | `none` | step |
 *
 * The first three are those of Marc Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
 *
 * @param retry 1 for the first retry.
 * @param previousMs The delay before the retry before; for the first one ignored.
 * @param random Uniform in [0, 1); drawn once at most.
 */
export function backoffMs(
  { baseMs, capMs, jitter }: Backoff,
  retry: number,
  previousMs: Millis,
  random: () => number,
): Millis {
  // The exponent is bounded, since 2 ** 1024 is infinite and no multiple of 0.
  const stepMs = Math.min(capMs, baseMs * 2 ** Math.min(retry - 1, 1000));
  switch (jitter) {
    case 'full':
      return stepMs * random();
    case 'equal':
      return stepMs / 2 + (stepMs / 2) * random();
    case 'decorrelated': {
      const beforeMs = retry === 1 ? baseMs : previousMs;
      return Math.min(capMs, baseMs + Math.max(0, 3 * beforeMs - baseMs) * random());
    }
    case 'proportional':
      return stepMs + (stepMs / 2) * random();
    case 'none':
      return stepMs;
  }
}
