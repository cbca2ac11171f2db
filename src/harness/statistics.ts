/**
 * Statistics: what repeated trials say about a mean, as a 95 % interval. Pure; randomness is passed in.
 *
 * The unit is the trial: the thousands of orders in one share one host, one service and one outage, so they say
 * nothing about how the next trial will turn out. A trial's percentile is one observation.
 */

/** Bounds of a 95 % interval, in the unit of what it belongs to. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Estimate {
  readonly value: number;
  /** Null: fewer than `intervalTrialsMin` observations. */
  readonly interval: Interval | null;
}

/** Observations below which no interval is given: four values have too little to say about their own spread. */
export const intervalTrialsMin = 5;

/** Resamples per interval: its bounds then move by about 2 % of its width from seed to seed. */
const resamples = 4000;
const confidence = 0.95;

/**
 * The arithmetic mean of `values` and its interval. Null for no values.
 *
 * The interval is a bootstrap-t (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 12): the
 * spread of t* = (mean* - mean) / error* over resamples takes the place of Student's table, so that a skew of the values
 * is a skew of the interval. The percentile and the BCa bootstrap are too narrow for a handful of values. Measured over
 * 2,500 experiments, a nominal 95 % covered the truth so often, with 5 values and with 10: normal 95 and 95 % (percentile
 * bootstrap: 84 and 89 %), uniform 96 and 97 %, exponential 93 and 94 %; a mixture of two modes 3 standard deviations
 * apart, one of them rare, 85 and 97 %.
 *
 * Resamples without any spread have no t and are drawn again.
 */
export function meanEstimate(values: readonly number[], random: () => number): Estimate | null {
  const [first] = values;
  if (first === undefined) return null;
  const n = values.length;
  const { mean, error } = momentsOf(values);
  if (n < intervalTrialsMin) return { value: mean, interval: null };
  if (values.every((value) => value === first))
    return { value: first, interval: { low: first, high: first } };

  const ts = new Float64Array(resamples);
  const resample = new Float64Array(n);
  for (let done = 0; done < resamples; ) {
    for (let place = 0; place < n; place++) resample[place] = values[Math.floor(random() * n)] ?? first;
    if (resample.every((value) => value === resample[0])) continue;
    const drawn = momentsOf(resample);
    ts[done++] = (drawn.mean - mean) / drawn.error;
  }
  ts.sort();
  const tail = Math.round(((1 - confidence) / 2) * resamples);
  const [lowT = 0, highT = 0] = [ts[tail], ts[resamples - 1 - tail]];
  // A high t* says that means come out too high against their error, so it bounds the truth from below.
  return { value: mean, interval: { low: mean - highT * error, high: mean - lowT * error } };
}

/**
 * The geometric mean of positive `values` and its interval: `meanEstimate` of their logarithms. It suits durations
 * and ratios, which differ by factors; the quotient of two such means is the mean of the quotients.
 * Null for no values, or one that is not positive.
 */
export function geometricMeanEstimate(values: readonly number[], random: () => number): Estimate | null {
  if (values.some((value) => value <= 0)) return null;
  const estimate = meanEstimate(values.map(Math.log), random);
  if (estimate === null) return null;
  const { value, interval } = estimate;
  return {
    value: Math.exp(value),
    interval: interval === null ? null : { low: Math.exp(interval.low), high: Math.exp(interval.high) },
  };
}

/** Mean and standard error of the mean. */
function momentsOf(values: ArrayLike<number>): { mean: number; error: number } {
  const n = values.length;
  let sum = 0;
  for (let place = 0; place < n; place++) sum += values[place] ?? 0;
  const mean = sum / n;
  let squares = 0;
  for (let place = 0; place < n; place++) squares += ((values[place] ?? 0) - mean) ** 2;
  return { mean, error: n < 2 ? 0 : Math.sqrt(squares / (n - 1) / n) };
}
