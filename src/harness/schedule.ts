/** Schedule: when each request is meant to be sent, decided from the seed before the trial begins. Pure. */
import { deriveSeed, seededRandom } from '../patterns/random.ts';

export type Arrivals = 'constant' | 'poisson';

export interface SchedulePlan {
  /** Mean number of requests per second, of all classes together. */
  readonly ratePerS: number;
  /** `constant`: evenly spaced. `poisson`: exponential gaps, as from many clients that know nothing of each other. */
  readonly arrivals: Arrivals;
  /** Warm-up and window together. */
  readonly durationMs: number;
  readonly seed: number;
}

/**
 * The intended send times in ms from the start of the warm-up, ascending, each in [0, durationMs). They lie in shared
 * memory, so that the metronome and the load workers read the same ones. A request is known by its index here.
 */
export function planArrivals(plan: SchedulePlan): Float64Array {
  const gapMs = 1000 / plan.ratePerS;
  if (plan.arrivals === 'constant') {
    const count = Math.ceil(plan.durationMs / gapMs);
    return shared(
      Array.from({ length: count }, (_, index) => index * gapMs).filter((t) => t < plan.durationMs),
    );
  }
  const random = seededRandom(deriveSeed(plan.seed, 'arrivals'));
  const times: number[] = [];
  for (let t = 0; ; ) {
    // 1 - u lies in (0, 1], so that the logarithm is finite.
    t -= Math.log(1 - random()) * gapMs;
    if (t >= plan.durationMs) return shared(times);
    times.push(t);
  }
}

/** Which of `workers` load workers sends the request. */
export function workerOf(index: number, workers: number): number {
  return index % workers;
}

function shared(times: readonly number[]): Float64Array {
  const array = new Float64Array(new SharedArrayBuffer(times.length * Float64Array.BYTES_PER_ELEMENT));
  array.set(times);
  return array;
}
