/**
 * Judge: decides metric by metric while rounds come in, such that looking often does not make it wrong more often. Pure.
 *
 * It looks after 4, 6, 10, 16, ... rounds and a last time when the budget is spent. The probability of a wrong claim
 * that a whole check may have (`alpha`) is divided among the looks, half of what is left for each and all of it for the last, so that
 * their sum is never above it, whenever the check ends (alpha spending, after Lan and DeMets, Biometrika 70, 1983). At each look Holm's
 * procedure divides that look's part among the metrics (Scandinavian Journal of Statistics 6, 1979). What is decided stays decided.
 */
import { type Claims, claimsOf } from './evidence.ts';

export type Verdict = 'worse' | 'better' | 'same' | 'inconclusive';

export interface Evidence {
  /** How much worse B was in each round that counts; see `harmOf`. */
  readonly harms: readonly number[];
  /** The smallest harm that matters, as `effectAsHarm` gives it. */
  readonly smallestHarm: number;
}

export interface Decision {
  readonly verdict: Exclude<Verdict, 'inconclusive'>;
  /** After how many rounds. */
  readonly round: number;
}

/** Whether a look is due after so many rounds: each is the sum of the two before, and with fewer hardly anything could be decided. */
export function isLookDue(rounds: number): boolean {
  let [look, next] = [4, 6];
  while (look < rounds) [look, next] = [next, look + next];
  return look === rounds;
}

export class Judge {
  /** What no look has spent yet. */
  private alphaLeft: number;
  private readonly decisions = new Map<string, Decision>();

  /** @param alpha Probability of any wrong claim in the whole check that is accepted, such as 0.05. */
  constructor(alpha: number) {
    this.alphaLeft = alpha;
  }

  /**
   * Looks at all metrics by their names. Call it when `isLookDue`, and when the budget is spent.
   *
   * @param last Whether no further look will follow.
   */
  look(round: number, metrics: ReadonlyMap<string, Evidence>, last = false): void {
    const alpha = last ? this.alphaLeft : this.alphaLeft / 2;
    this.alphaLeft -= alpha;
    // What was decided before takes nothing from the rest: its claim was made at an earlier look's expense.
    const open = [...metrics].filter(([name]) => !this.decisions.has(name));
    const claims = open.map(([name, evidence]) => ({
      name,
      ...strongest(claimsOf(evidence.harms, evidence.smallestHarm)),
    }));
    claims.sort((one, other) => one.p - other.p);
    for (const [place, { name, verdict, p }] of claims.entries()) {
      // A wrong claim can be wrong in two ways, of which each gets half.
      if (p > alpha / 2 / (claims.length - place)) return;
      this.decisions.set(name, { verdict, round });
    }
  }

  /** Undefined: not decided. */
  decisionOf(name: string): Decision | undefined {
    return this.decisions.get(name);
  }
}

function strongest(claims: Claims): { readonly verdict: Decision['verdict']; readonly p: number } {
  const { worse, better, same } = claims;
  const p = Math.min(worse, better, same);
  return { verdict: p === worse ? 'worse' : p === better ? 'better' : 'same', p };
}
