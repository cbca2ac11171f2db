/**
 * Evidence: what the rounds of a check say about one metric, as p-values of three claims. Pure.
 *
 * The unit is the round: one trial of each side, close together in time, so that what the host does to both of them
 * falls out of their comparison.
 */
import { studentTail } from './student-t.ts';

/** How the two sides of a round are compared: as a factor, or as a difference in the metric's unit. */
export type Scale = 'ratio' | 'difference';

export interface Comparability {
  readonly scale: Scale;
  readonly better: 'lower' | 'higher';
  /** With `ratio`, what a smaller figure counts as: there is no factor from 0. */
  readonly floor: number;
}

/** How much worse B is than A in a round: the logarithm of the factor, or the difference; below 0: better. */
export function harmOf(a: number, b: number, { scale, better, floor }: Comparability): number {
  const more = scale === 'ratio' ? Math.log(Math.max(b, floor) / Math.max(a, floor)) : b - a;
  return better === 'lower' ? more : -more;
}

/** An effect as harm: `0.03` is 3 % with `ratio`. */
export function effectAsHarm(effect: number, scale: Scale): number {
  return scale === 'ratio' ? Math.log1p(effect) : effect;
}

/** For each claim, how probable evidence like this would be, were the claim only just untrue. */
export interface Claims {
  /** B is worse by more than the smallest effect that matters. */
  readonly worse: number;
  readonly better: number;
  /** Whatever the difference is, it is smaller than that effect, in both directions. */
  readonly same: number;
}

/** Rounds below which nothing is claimed. */
export const roundsMin = 3;

/**
 * Student's t of the harms against the smallest effect: one test of difference in each direction, and the two one-sided
 * tests of equivalence (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
 *
 * A mean of logarithms rather than a median: with the handful of rounds that a check can afford, a test of the median
 * finds a real slowdown half as often (simulated: 8 rounds, 10 % slower, 3 % noise: 64 % against 91 %), and a single
 * wild round makes t more careful, not less. With fewer rounds than `roundsMin` no claim is supported at all.
 */
export function claimsOf(harms: readonly number[], smallestHarm: number): Claims {
  const n = harms.length;
  if (n < roundsMin) return { worse: 1, better: 1, same: 1 };
  const mean = harms.reduce((sum, harm) => sum + harm, 0) / n;
  const squares = harms.reduce((sum, harm) => sum + (harm - mean) ** 2, 0);
  const standardError = Math.sqrt(squares / (n - 1) / n);
  /** That the true mean is above a bound. */
  const above = (distance: number) => {
    // Rounds that agree exactly, as counts of nothing do, leave nothing to chance.
    if (standardError === 0) return distance > 0 ? 0 : 1;
    return studentTail(distance / standardError, n - 1);
  };
  return {
    worse: above(mean - smallestHarm),
    better: above(-mean - smallestHarm),
    same: Math.max(above(smallestHarm - mean), above(mean + smallestHarm)),
  };
}
