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

export interface TrialEvidence {
  /** Arrivals planned for the window, over both classes; null in a closed loop, which plans none. */
  readonly planned: number | null;
  /** Arrivals that were really sent. */
  readonly sent: number;
  readonly latenessP99Us: number | null;
  readonly canaryDelayP99Us: number | null;
  readonly generatorDelayP99Us: number | null;
  /** Null for a target that may leave every order unconfirmed. */
  readonly confirmed: number | null;
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

/** What a reason ends in when the host is to blame, and neither the code nor the command. */
const hostToBlame = 'the host was disturbed';

/** Of the reasons for a trial's invalidity those that say nothing about what was measured, only about the machine. */
export function hostReasons(reasons: readonly string[]): readonly string[] {
  return reasons.filter((reason) => reason.endsWith(hostToBlame));
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
  const tooLate = (what: string, us: number | null, limitUs: number) => {
    if (us === null) reasons.push(`${what} was not measured: too few samples`);
    else if (us > limitUs)
      reasons.push(`${what} was ${us / 1000} ms, above ${limitUs / 1000} ms: ${hostToBlame}`);
  };
  tooLate('lateness p99 of the load', evidence.latenessP99Us, validityLimits.latenessP99Us);
  tooLate("p99 of the canary's loop delay", evidence.canaryDelayP99Us, validityLimits.canaryDelayP99Us);
  tooLate(
    "p99 of the generator's loop delay",
    evidence.generatorDelayP99Us,
    validityLimits.generatorDelayP99Us,
  );
  if (evidence.confirmed === 0) reasons.push('no order was confirmed: the system never worked in the window');
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
