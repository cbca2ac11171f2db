/** Pair: what one round of a check keeps of a trial of each side, and whether it counts. Pure. */
import type { Trial } from '../result.ts';
import { hostReasons } from '../validity.ts';
import { figuresOf, type ScenarioName } from './check-metrics.ts';
import type { Pair } from './check-record.ts';
import { type Limit, limitedFigure } from './limit.ts';

/** Two trials at once on a few cores make each other late, which takes nothing from their comparison. */
const duetLatenessFactor = 3;

/** Beyond this share of stolen CPU time a trial has measured a hypervisor's other guests. */
const stolenShareMax = 0.05;

export interface PairConditions {
  readonly limits: readonly Limit[];
  /** Whether the two trials ran at the same time. */
  readonly isDuet: boolean;
}

/** @param trials Null: only limits are checked. */
export function pairOf(
  scenario: ScenarioName,
  { a, b }: { readonly a: Trial | null; readonly b: Trial },
  { limits, isDuet }: PairConditions,
): Pair {
  const factor = isDuet ? duetLatenessFactor : 1;
  const ofA = a && disturbance(a, scenario, factor);
  const ofB = disturbance(b, scenario, factor);
  return {
    scenario,
    discarded: ofA !== null ? `A: ${ofA}` : ofB !== null ? `B: ${ofB}` : null,
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
 *
 * @param factor How much later than in an ordinary trial things may be.
 */
export function disturbance(trial: Trial, scenario: ScenarioName, factor = 1): string | null {
  const { orders, eventLoop, stolenCpuShare, complete } = trial;
  if (!complete) return 'the trial was interrupted';
  const lateness = {
    latenessP99Us: orders.latenessUs.p99,
    canaryDelayP99Us: eventLoop.canaryDelayUs.p99,
    generatorDelayP99Us: eventLoop.generatorDelayUs.p99,
  };
  // A load as high as it may be makes the host late by itself.
  const [reason] = scenario === 'saturated' ? [] : hostReasons(lateness, factor);
  if (reason !== undefined) return reason;
  if (stolenCpuShare === null || stolenCpuShare <= stolenShareMax) return null;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return `${percent(stolenCpuShare)} of the CPU time was stolen by the hypervisor, more than ${percent(stolenShareMax)}`;
}
