/** Validity: whether a trial measured the system, or the host, the generator or nothing at all. Pure. */

/** Bounds beyond which a trial is not to be believed. */
const validityLimits = {
  /** Share of the planned arrivals that must have been sent. */
  sentShareMin: 0.99,
  /** A tenth of the shortest delay that a stack is configured to notice by default (`breaker.slowMs`). */
  latenessP99Us: 10_000,
  canaryDelayP99Us: 10_000,
  generatorDelayP99Us: 10_000,
} as const;

/** How late what should never wait was. Null: too few samples. */
export interface HostLateness {
  readonly latenessP99Us: number | null;
  readonly canaryDelayP99Us: number | null;
  readonly generatorDelayP99Us: number | null;
}

export interface TrialEvidence extends HostLateness {
  /** Arrivals planned for the window, over both classes; null in a closed loop, which plans none. */
  readonly planned: number | null;
  /** Arrivals that were really sent. */
  readonly sent: number;
  /** Null for a target that may leave every order unconfirmed. */
  readonly confirmed: number | null;
  /** Whether the service is one that somebody else has started, and may answer in a way that is not understood. */
  readonly isExternal: boolean;
  /** Deaths of the service in the window; null for a target that is not meant to die. */
  readonly deaths: number | null;
  /** Ends of the service that are not its target's, nor ours. */
  readonly crashes: number;
  /** 0 where it is not known. */
  readonly lost: number;
  /** Why the service could not write its ledger; null: it always could. */
  readonly ledgerError: string | null;
  /** What was wrong with a module of the user's, a line each. */
  readonly ownFaults: readonly string[];
  /** Response times beyond the range of the histograms. */
  readonly clamped: number;
}

const whatMayNotBeLate: Readonly<Record<keyof HostLateness, string>> = {
  latenessP99Us: 'lateness p99 of the load',
  canaryDelayP99Us: "p99 of the canary's loop delay",
  generatorDelayP99Us: "p99 of the generator's loop delay",
};

const lateKeys = Object.keys(whatMayNotBeLate) as (keyof HostLateness)[];

/**
 * Why a trial says nothing about what was measured, only about the machine, a line each.
 *
 * @param factor How much later than in an ordinary trial things may be.
 */
export function hostReasons(lateness: HostLateness, factor = 1): string[] {
  return lateKeys.flatMap((key) => {
    const us = lateness[key];
    const limitUs = validityLimits[key] * factor;
    if (us === null || us <= limitUs) return [];
    return [
      `${whatMayNotBeLate[key]} was ${us / 1000} ms, above ${limitUs / 1000} ms: the host was disturbed`,
    ];
  });
}

/** Why a trial is invalid, a line each; empty: it is valid. */
export function invalidReasons(evidence: TrialEvidence): string[] {
  const reasons: string[] = [];
  const { planned, sent, deaths } = evidence;
  if (planned !== null && sent < planned * validityLimits.sentShareMin) {
    reasons.push(
      `only ${sent} of ${planned} planned requests were sent, because --in-flight-max were under way: the gateway or the host could not keep up; lower --rate`,
    );
  }
  for (const key of lateKeys) {
    if (evidence[key] === null) reasons.push(`${whatMayNotBeLate[key]} was not measured: too few samples`);
  }
  reasons.push(...hostReasons(evidence));
  if (evidence.confirmed === 0) {
    const hint = evidence.isExternal ? '; a 2xx counts only with a JSON body that has a text paymentId' : '';
    reasons.push(`no order was confirmed: the system never worked in the window${hint}`);
  }
  if (deaths === 0) {
    reasons.push(
      'the payment service did not die in the window: lengthen --duration, or let it die sooner (--leak, --rate, everyMs of --target)',
    );
  }
  if (evidence.crashes > 0) {
    reasons.push(`the payment service ended ${evidence.crashes} times for another reason than its target's`);
  }
  if (evidence.clamped > 0) {
    reasons.push(`${evidence.clamped} response times were beyond the range of the histograms, 134 s`);
  }
  if (evidence.ledgerError !== null) {
    reasons.push(
      `payments failed because the ledger could not be written (${evidence.ledgerError}): make room in the folder for temporary files (TMPDIR)`,
    );
  }
  if (evidence.lost > 0) {
    reasons.push(
      `${evidence.lost} confirmed orders are missing from the ledger: the bookkeeping cannot be trusted`,
    );
  }
  return [...reasons, ...evidence.ownFaults];
}
