/** Trial result: everything that the parts of a trial reported, as one record. Pure. */
import { failureKinds } from '../patterns/outcome.ts';
import { breakerTimes } from './breaker-times.ts';
import type { CanarySample } from './canary-thread.ts';
import type { GatewayReport, GatewaySample } from './gateway-plan.ts';
import { clampedCount, decodeHistogram, encodeHistogram, sumHistograms, summarise } from './histogram.ts';
import type { LedgerContents } from './ledger.ts';
import { downMs, isDeath, type LifeStory } from './life-story.ts';
import { fateOf, type LoadReport, orderId, type TrialTimes } from './load-plan.ts';
import type { LoopDelayReport } from './loop-delay.ts';
import { auditPayments } from './payments.ts';
import { type ClassReport, failedCount, responseHistogram } from './recorder.ts';
import type { TargetResult, Trial } from './result.ts';
import { requestClasses } from './request-class.ts';
import { timeline } from './timeline.ts';
import { invalidReasons } from './validity.ts';

export interface TrialRecords {
  readonly sequence: number;
  readonly startedAt: Date;
  readonly seed: number;
  readonly priorities: Trial['priorities'];
  readonly stolenCpuShare: number | null;
  /** The window as it really was. */
  readonly times: TrialTimes;
  readonly complete: boolean;
  /** The schedule; undefined in a closed loop. */
  readonly dueMs: Float64Array | undefined;
  /** Whether the service is meant to die. */
  readonly dies: boolean;
  /** How long it is frozen before each death. */
  readonly frozenMs: number;
  /** Whether a window without a confirmed order may be what was asked for. */
  readonly mayConfirmNothing: boolean;
  readonly load: LoadReport;
  readonly gateway: GatewayReport;
  readonly gatewaySamples: readonly GatewaySample[];
  readonly canary: LoopDelayReport;
  readonly canarySamples: readonly CanarySample[];
  /** Null: the service is the user's own. */
  readonly story: LifeStory | null;
  readonly ledger: LedgerContents | null;
}

export function trialResult(evidence: TrialRecords): Trial {
  const { times, load, gateway, story } = evidence;
  const windowMs = times.windowEndMs - times.windowStartMs;
  const relative = (atMs: number) => round(atMs - times.windowStartMs);
  const target = story && targetOf(story, times);
  const generatorDelayUs = summarise(sumHistograms(load.loops.map((loop) => loop.delay)));
  const latenessUs = summarise(decodeHistogram(load.lateness));
  const payments =
    evidence.ledger &&
    auditPayments({
      chargedOrderIds: evidence.ledger.charges.map((charge) => charge.orderId),
      confirmedById: confirmedById(load),
      tornLines: (story?.tornLines ?? 0) + evidence.ledger.torn,
    });
  const reasons = invalidReasons({
    planned: evidence.dueMs === undefined ? null : plannedIn(evidence.dueMs, times),
    sent: requestClasses.reduce((sum, name) => sum + sent(load.classes[name]), 0),
    latenessP99Us: latenessUs.p99,
    canaryDelayP99Us: evidence.canary.delayUs.p99,
    generatorDelayP99Us: generatorDelayUs.p99,
    confirmed: evidence.mayConfirmNothing ? null : load.classes.orders.confirmed,
    isExternal: target === null,
    deaths: evidence.dies && target !== null ? target.deaths : null,
    crashes: target?.exits.filter((exit) => exit.reason === 'crashed').length ?? 0,
    ownFaults: gateway.ownFaults,
    clamped: clampedCount(responseHistogram(load.classes.orders)),
    lost: payments?.lost ?? 0,
    ledgerError: story?.ledgerError ?? null,
  });
  return {
    sequence: evidence.sequence,
    startedAt: evidence.startedAt.toISOString(),
    seed: evidence.seed,
    priorities: evidence.priorities,
    stolenCpuShare: evidence.stolenCpuShare,
    valid: reasons.length === 0,
    invalidReasons: reasons,
    complete: evidence.complete,
    windowMs: round(windowMs),
    orders: ordersOf(load.classes.orders, windowMs, latenessUs),
    bystander: {
      ...countsOf(load.classes.bystander),
      responseUs: summarise(responseHistogram(load.classes.bystander)),
    },
    users: {
      ...countsOf(load.classes.users),
      errorRate: errorRateOf(load.classes.users),
      responseUs: summarise(responseHistogram(load.classes.users)),
      events: { ...gateway.userEvents },
    },
    upstream: {
      orders: gateway.orders,
      attempts: gateway.attempts,
      amplification: gateway.orders === 0 ? 0 : gateway.attempts / gateway.orders,
      zombies: gateway.events.zombie ?? 0,
      stackCostNs: gateway.stackCostNs,
      retryCrowd: gateway.retryCrowd,
    },
    payments,
    eventLoop: {
      delayUs: gateway.loop.delayUs,
      sampledDelayUs: gateway.loop.sampledDelayUs,
      utilization: gateway.loop.utilization,
      gcMs: round(gateway.loop.gcMs),
      cpuMs: gateway.loop.cpuMs === null ? null : round(gateway.loop.cpuMs),
      canaryDelayUs: evidence.canary.delayUs,
      generatorDelayUs,
    },
    target,
    events: { ...gateway.events },
    breaker: gateway.hasBreaker
      ? breakerTimes({
          transitions: gateway.transitions.map((transition) => ({
            ...transition,
            atMs: relative(transition.atMs),
          })),
          outagesAtMs: (target?.exits ?? [])
            .filter(({ reason }) => isDeath(reason))
            .map(({ atMs, reason }) => atMs - (reason === 'killed' ? evidence.frozenMs : 0)),
          healthyAtMs: gateway.healthyAtMs.map(relative),
          readyAtMs: (target?.starts ?? []).map((start) => start.atMs),
          windowMs,
        })
      : null,
    timeline: timeline({ ...evidence, steps: load.steps, targetSamples: story?.samples ?? [] }),
    histograms: {
      orders: {
        all: encodeHistogram(responseHistogram(load.classes.orders)),
        confirmed: encodeHistogram(responseHistogram(load.classes.orders, ['confirmed'])),
        failed: encodeHistogram(responseHistogram(load.classes.orders, failureKinds)),
        service: load.classes.orders.service,
      },
      bystander: { all: encodeHistogram(responseHistogram(load.classes.bystander)) },
      users: { all: encodeHistogram(responseHistogram(load.classes.users)) },
      loopDelay: { gateway: gateway.loop.delay, canary: evidence.canary.delay },
    },
  };
}

function ordersOf(
  report: ClassReport,
  windowMs: number,
  latenessUs: Trial['orders']['latenessUs'],
): Trial['orders'] {
  const counts = countsOf(report);
  const windowS = windowMs / 1000;
  return {
    ...counts,
    errorRate: errorRateOf(report),
    throughputPerS: (counts.confirmed + counts.failed) / windowS,
    goodputPerS: counts.confirmed / windowS,
    responseUs: summarise(responseHistogram(report)),
    confirmedUs: summarise(responseHistogram(report, ['confirmed'])),
    failedUs: summarise(responseHistogram(report, failureKinds)),
    serviceUs: summarise(decodeHistogram(report.service)),
    latenessUs,
  };
}

function errorRateOf({ offered, confirmed }: ClassReport): number {
  return offered === 0 ? 0 : (offered - confirmed) / offered;
}

function countsOf(report: ClassReport) {
  const { offered, skipped, confirmed, inFlightAtEnd, failures } = report;
  return {
    offered,
    skipped,
    confirmed,
    failed: failedCount(report),
    inFlightAtEnd,
    byOutcome: { ...failures },
  };
}

function sent(report: ClassReport): number {
  return report.offered - report.skipped;
}

function plannedIn(dueMs: Float64Array, times: TrialTimes): number {
  const inWindow = (due: number) => {
    const atMs = times.startMs + due;
    return atMs >= times.windowStartMs && atMs < times.windowEndMs;
  };
  return dueMs.filter(inWindow).length;
}

/** Every order of the window, by its id in the ledger. */
function confirmedById(load: LoadReport): Map<string, boolean> {
  const orders = new Map<string, boolean>();
  for (let index = 0; index < load.fates.length; index++) {
    const fate = fateOf(load, index);
    if (fate !== undefined) orders.set(orderId(index, true), fate === 'confirmed');
  }
  return orders;
}

function targetOf(story: LifeStory, times: TrialTimes): TargetResult {
  const relative = (atMs: number) => round(atMs - times.windowStartMs);
  const inWindow = (atMs: number) => atMs >= times.windowStartMs && atMs < times.windowEndMs;
  return {
    starts: story.starts.map((start) => ({
      atMs: relative(start.atMs),
      spawnedAtMs: relative(start.spawnedAtMs),
    })),
    exits: story.exits.map((exit) => ({
      atMs: relative(exit.atMs),
      code: exit.shownCode,
      signal: exit.signal,
      reason: exit.reason,
      rssBytes: exit.rssBytes,
      uptimeMs: round(exit.uptimeMs),
    })),
    deaths: story.exits.filter((exit) => isDeath(exit.reason) && inWindow(exit.atMs)).length,
    downMs: round(downMs(story, times.windowStartMs, times.windowEndMs)),
  };
}

/** Moments to the µs. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
