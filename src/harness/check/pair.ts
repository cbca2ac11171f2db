/** Pair: what one round of a check keeps of a trial of each side, and whether it counts. Pure. */
import type { Trial } from '../result.ts';
import { hostReasons } from '../validity.ts';
import { duets, figuresOf, type ScenarioName } from './check-metrics.ts';
import type { Pair } from './check-record.ts';
import { type Limit, limitedFigure } from './limit.ts';

/** Two trials at once on a few cores make each other late, which takes nothing from their comparison. */
const duetLatenessFactor = 3;

/** Beyond this share of stolen CPU time a trial has measured a hypervisor's other guests. */
const stolenShareMax = 0.05;

/** @param a Null: only limits are checked. */
export function pairOf(scenario: ScenarioName, a: Trial | null, b: Trial, limits: readonly Limit[]): Pair {
  return {
    scenario,
    discarded:
      [a, b].map((trial) => trial && disturbance(trial, scenario)).find((why) => why !== null) ?? null,
    a: a === null ? null : figuresOf(a, scenario),
    b: figuresOf(b, scenario),
    limits: Object.fromEntries(
      limits
        .filter((limit) => limit.scenario === scenario)
        .map((limit) => [limit.text, limitedFigure(limit, b)]),
    ),
  };
}

/**
 * How the host disturbed a trial; null: it did not. Whatever else makes a trial invalid, such as that nothing was ever
 * confirmed, is what a change may have done, and has to count.
 */
export function disturbance(trial: Trial, scenario: ScenarioName): string | null {
  const { orders, eventLoop, stolenCpuShare, complete } = trial;
  if (!complete) return 'the trial was interrupted';
  const lateness = {
    latenessP99Us: orders.latenessUs.p99,
    canaryDelayP99Us: eventLoop.canaryDelayUs.p99,
    generatorDelayP99Us: eventLoop.generatorDelayUs.p99,
  };
  const factor = duets.has(scenario) ? duetLatenessFactor : 1;
  // A load as high as it may be makes the host late by itself.
  const [reason] = scenario === 'saturated' ? [] : hostReasons(lateness, factor);
  if (reason !== undefined) return reason;
  if (stolenCpuShare === null || stolenCpuShare <= stolenShareMax) return null;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return `${percent(stolenCpuShare)} of the CPU time was stolen by the hypervisor, more than ${percent(stolenShareMax)}`;
}
