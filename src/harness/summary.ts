/** Summary: the valid trials of a stack as one. Counts are added and histograms merged, never averaged. */
import { type FailureKind, failureKinds } from '../patterns/outcome.ts';
import { countWithin, sumHistograms, summarise } from './histogram.ts';
import type { Distribution, Payments, StackResult, Trial } from './result.ts';

export interface StackSummary {
  readonly name: string;
  readonly trials: number;
  readonly validTrials: number;
  readonly offered: number;
  readonly confirmed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly inFlightAtEnd: number;
  readonly byOutcome: Partial<Record<FailureKind, number>>;
  readonly errorRate: number;
  /** Orders confirmed within the SLA. */
  readonly withinSla: number;
  /** Confirmed orders per second of the windows. */
  readonly goodputPerS: number;
  /** Answered orders per second of the windows. */
  readonly throughputPerS: number;
  readonly responseUs: Distribution;
  readonly confirmedUs: Distribution;
  readonly bystanderUs: Distribution;
  /** Null: measured before there was a user service. */
  readonly users: {
    readonly offered: number;
    readonly confirmed: number;
    readonly responseUs: Distribution;
  } | null;
  readonly loopDelayUs: Distribution;
  readonly canaryDelayUs: Distribution;
  /** Mean over the trials. */
  readonly utilization: number;
  readonly latenessP99Us: number | null;
  /** Null: nobody watched the service. */
  readonly deaths: number | null;
  /** Seconds of the windows in which the service was not there. Null: nobody watched it. */
  readonly downS: number | null;
  /** Null: the stack has no breaker. */
  readonly breaker: {
    readonly openings: number;
    readonly openShare: number;
    readonly recoverMs: number | null;
  } | null;
  /** Requests about which the rate limits' store could not decide: let in, and turned away. */
  readonly limiterFailedOpen: number;
  readonly limiterFailedClosed: number;
  readonly amplification: number;
  /** Null: nobody knows the service's ledger. */
  readonly payments: Payments | null;
}

/** The valid trials; where none is valid, all of them, so that there is something to look at. */
export function trialsToShow(trials: readonly Trial[]): readonly Trial[] {
  const valid = trials.filter((trial) => trial.valid);
  return valid.length > 0 ? valid : trials;
}

/** Sums up the trials to show. */
export function summariseStack(stack: StackResult, slaMs: number): StackSummary {
  const trials = trialsToShow(stack.trials);
  const sum = (of: (trial: Trial) => number) => trials.reduce((total, trial) => total + of(trial), 0);
  const merged = (of: (trial: Trial) => string) => summarise(sumHistograms(trials.map(of)));
  const confirmedTimes = sumHistograms(trials.map((trial) => trial.histograms.orders.confirmed));

  const offered = sum((trial) => trial.orders.offered);
  const confirmed = sum((trial) => trial.orders.confirmed);
  const failed = sum((trial) => trial.orders.failed);
  const windowS = Math.max(sum((trial) => trial.windowMs) / 1000, 1e-3);
  return {
    name: stack.name,
    trials: stack.trials.length,
    validTrials: stack.trials.filter((trial) => trial.valid).length,
    offered,
    confirmed,
    failed,
    skipped: sum((trial) => trial.orders.skipped),
    inFlightAtEnd: sum((trial) => trial.orders.inFlightAtEnd),
    byOutcome: Object.fromEntries(
      failureKinds.flatMap((kind) => {
        const count = sum((trial) => trial.orders.byOutcome[kind] ?? 0);
        return count > 0 ? [[kind, count]] : [];
      }),
    ),
    errorRate: offered === 0 ? 0 : (offered - confirmed) / offered,
    withinSla: countWithin(confirmedTimes, slaMs * 1000),
    goodputPerS: confirmed / windowS,
    throughputPerS: (confirmed + failed) / windowS,
    responseUs: merged((trial) => trial.histograms.orders.all),
    confirmedUs: summarise(confirmedTimes),
    bystanderUs: merged((trial) => trial.histograms.bystander.all),
    users: usersOf(trials),
    loopDelayUs: merged((trial) => trial.histograms.loopDelay.gateway),
    canaryDelayUs: merged((trial) => trial.histograms.loopDelay.canary),
    utilization: sum((trial) => trial.eventLoop.utilization) / Math.max(trials.length, 1),
    // The worst of them: what came late in one trial is not made good by another.
    latenessP99Us: trials.reduce<number | null>((worst, trial) => {
      const p99 = trial.orders.latenessUs.p99;
      return p99 === null ? worst : Math.max(worst ?? 0, p99);
    }, null),
    deaths: sumKnown(trials, ({ target }) => target?.deaths),
    downS: sumKnown(trials, ({ target }) => target && target.downMs / 1000),
    breaker: breakerOf(trials),
    limiterFailedOpen: sum((trial) => trial.events['limiter-failed-open'] ?? 0),
    limiterFailedClosed: sum((trial) => trial.events['limiter-failed-closed'] ?? 0),
    amplification:
      sum((trial) => trial.upstream.attempts) /
      Math.max(
        sum((trial) => trial.upstream.orders),
        1,
      ),
    payments: paymentsOf(trials),
  };
}

/** Null where one trial does not know it: a part of a sum is no sum. */
function sumKnown(trials: readonly Trial[], of: (trial: Trial) => number | null | undefined): number | null {
  let total = 0;
  for (const trial of trials) {
    const figure = of(trial);
    if (figure == null) return null;
    total += figure;
  }
  return total;
}

function paymentsOf(trials: readonly Trial[]): Payments | null {
  const known = trials.flatMap(({ payments }) => payments ?? []);
  if (known.length < trials.length) return null;
  const sum = (of: (payments: Payments) => number) => known.reduce((total, one) => total + of(one), 0);
  return {
    charged: sum(({ charged }) => charged),
    duplicates: sum(({ duplicates }) => duplicates),
    phantoms: sum(({ phantoms }) => phantoms),
    lost: sum(({ lost }) => lost),
    tornLines: sum(({ tornLines }) => tornLines),
  };
}

function usersOf(trials: readonly Trial[]): StackSummary['users'] {
  const measured = trials.flatMap((trial) => trial.users ?? []);
  if (measured.length === 0) return null;
  return {
    offered: measured.reduce((sum, users) => sum + users.offered, 0),
    confirmed: measured.reduce((sum, users) => sum + users.confirmed, 0),
    responseUs: summarise(sumHistograms(trials.flatMap((trial) => trial.histograms.users?.all ?? []))),
  };
}

function breakerOf(trials: readonly Trial[]): StackSummary['breaker'] {
  const breakers = trials.flatMap((trial) => trial.breaker ?? []);
  if (breakers.length === 0) return null;
  const windowMs = trials.reduce((total, trial) => total + trial.windowMs, 0);
  const inWindow = trials.flatMap((trial) =>
    (trial.breaker?.transitions ?? []).filter(({ atMs }) => atMs >= 0 && atMs < trial.windowMs),
  );
  const recoveries = breakers.flatMap((breaker) => breaker.timeToRecoverMs).sort((a, b) => a - b);
  return {
    openings: inWindow.filter((transition) => transition.from === 'closed').length,
    openShare: breakers.reduce((total, breaker) => total + breaker.openMs, 0) / Math.max(windowMs, 1),
    recoverMs: recoveries[Math.floor((recoveries.length - 1) / 2)] ?? null,
  };
}
