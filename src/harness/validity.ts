/** Validity: whether a trial measured the system, or the host, the generator or nothing at all. Pure. */

/** Bounds beyond which a trial is not to be believed. */
export const validityLimits = {
  /** Share of the planned arrivals that must have been sent. */
  sentShareMin: 0.99,
  latenessP99Us: 10_000,
  canaryDelayP99Us: 10_000,
  /**
   * The canary's delay may also be this share of the gateway's: a gateway in trouble collects garbage on every core,
   * which delays the canary too, and a tenth more or less does not change what is said about such a gateway.
   */
  canaryShareOfGateway: 0.2,
  generatorDelayP99Us: 10_000,
} as const;

export interface TrialEvidence {
  /** Arrivals planned for the window, over both classes; null in a closed loop, which plans none. */
  readonly planned: number | null;
  /** Arrivals that were really sent. */
  readonly sent: number;
  readonly latenessP99Us: number | null;
  readonly canaryDelayP99Us: number | null;
  readonly gatewayDelayP99Us: number | null;
  readonly generatorDelayP99Us: number | null;
  readonly confirmed: number;
  /** Deaths of the service in the window; null for a target that is not meant to die. */
  readonly deaths: number | null;
  readonly lost: number;
}

/** Why a trial is invalid, a line each; empty: it is valid. */
export function invalidReasons(evidence: TrialEvidence): string[] {
  const reasons: string[] = [];
  const { planned, sent, deaths } = evidence;
  if (planned !== null && sent < planned * validityLimits.sentShareMin) {
    reasons.push(
      `only ${sent} of ${planned} planned requests were sent: lower --rate or raise --in-flight-max`,
    );
  }
  const tooLate = (what: string, us: number | null, limitUs: number) => {
    if (us === null) reasons.push(`${what} was not measured: too few samples`);
    else if (us > limitUs)
      reasons.push(`${what} was ${us / 1000} ms, above ${limitUs / 1000} ms: the host was disturbed`);
  };
  tooLate('lateness p99 of the load', evidence.latenessP99Us, validityLimits.latenessP99Us);
  const canaryLimitUs = Math.max(
    validityLimits.canaryDelayP99Us,
    Math.round((evidence.gatewayDelayP99Us ?? 0) * validityLimits.canaryShareOfGateway),
  );
  tooLate("p99 of the canary's loop delay", evidence.canaryDelayP99Us, canaryLimitUs);
  tooLate(
    "p99 of the generator's loop delay",
    evidence.generatorDelayP99Us,
    validityLimits.generatorDelayP99Us,
  );
  if (evidence.confirmed === 0) reasons.push('no order was confirmed: the system never worked in the window');
  if (deaths === 0) {
    reasons.push(
      'the payment service did not die in the window: lengthen --duration, or raise --leak or --rate',
    );
  }
  if (evidence.lost > 0) {
    reasons.push(
      `${evidence.lost} confirmed orders are missing from the ledger: the bookkeeping cannot be trusted`,
    );
  }
  return reasons;
}
