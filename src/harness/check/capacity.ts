/** Capacity: the highest rate at which the SLA holds, searched for by trials at rates that depend on those before. Pure. */

export interface Bracket {
  /** The highest rate that was kept up; null: none yet. */
  readonly keptPerS: number | null;
  /** The lowest rate that was not; null: none yet. */
  readonly lostPerS: number | null;
}

/** Where the search begins, in requests per second. */
const startPerS = 800;
/** `run` offers no more, and less says nothing about a gateway. */
const rates = { min: 50, max: 50_000 };
/** Close enough: the answer is at most this factor below the truth. */
const closeEnough = 1.1;

/**
 * The next rate to try; null: the bracket is close enough, or there is nothing to find. It doubles, or halves, until it
 * has one rate that was kept up and one that was not, and then goes to their geometric mean.
 */
export function nextRatePerS({ keptPerS, lostPerS }: Bracket): number | null {
  if (keptPerS === null && lostPerS === null) return startPerS;
  if (keptPerS === null) return inRange(Number(lostPerS) / 2, Number(lostPerS));
  if (lostPerS === null) return inRange(keptPerS * 2, keptPerS);
  return lostPerS / keptPerS <= closeEnough ? null : Math.round(Math.sqrt(keptPerS * lostPerS));
}

/** Null where that is not a rate that has not been tried. */
function inRange(ratePerS: number, triedPerS: number): number | null {
  const next = Math.round(Math.min(rates.max, Math.max(rates.min, ratePerS)));
  return next === triedPerS ? null : next;
}

/**
 * Searches. Resolves with what `tryRate` returned for the highest rate that was kept up, or, where none was, for the
 * lowest that there is; null: interrupted.
 *
 * @param tryRate `kept`: whether the rate was kept up. Null: interrupted.
 */
export async function searchCapacity<T extends { readonly kept: boolean }>(
  tryRate: (ratePerS: number) => Promise<T | null>,
): Promise<T | null> {
  let bracket: Bracket = { keptPerS: null, lostPerS: null };
  let best: T | null = null;
  let last: T | null = null;
  for (let ratePerS = nextRatePerS(bracket); ratePerS !== null; ratePerS = nextRatePerS(bracket)) {
    const tried = await tryRate(ratePerS);
    if (tried === null) return null;
    last = tried;
    if (tried.kept) best = tried;
    bracket = tried.kept ? { ...bracket, keptPerS: ratePerS } : { ...bracket, lostPerS: ratePerS };
  }
  return best ?? last;
}
