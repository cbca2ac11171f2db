/** Measure pair: a trial of each side of a round, at once or one after the other. */
import type { Trial } from '../result.ts';
import { realClock } from '../time.ts';
import { trialOrder } from '../trial-order.ts';
import { duets, type ScenarioName } from './check-metrics.ts';
import type { Pair } from './check-record.ts';
import type { Limit } from './limit.ts';
import { pairOf } from './pair.ts';
import { Rendezvous } from './rendezvous.ts';
import type { SideName, Sides } from './sides.ts';

export interface PairPlan {
  readonly scenario: ScenarioName;
  /** From 1. */
  readonly round: number;
  readonly limits: readonly Limit[];
}

export interface PairHooks {
  readonly interrupt: AbortSignal;
  /** Hears what is measured from now on. */
  readonly onTrial: (what: string) => void;
}

/** How long the first of two that are to begin together waits: a version that does not know how to wait never says so. */
const startTogetherMs = 10_000;

/** Null: interrupted. */
export async function measurePair(
  sides: Sides,
  { scenario, round, limits }: PairPlan,
  { interrupt, onTrial }: PairHooks,
): Promise<Pair | null> {
  const order: readonly SideName[] = sides.a === null ? ['b'] : orderOf(round);
  // What was measured earlier had the machine to itself.
  const isDuet = duets.has(scenario) && sides.a !== null && !sides.aMeasuredEarlier;
  const together = isDuet ? new Rendezvous(order.length, startTogetherMs, realClock) : undefined;
  const trials: Partial<Record<SideName, Trial>> = {};
  const measureInto = async (name: SideName) => {
    onTrial(isDuet ? `${scenario}, both sides` : `${scenario}, ${sides[name]?.label ?? ''}`);
    const trial = await sides.measure(name, scenario, round, interrupt, together);
    if (trial !== null) trials[name] = trial;
  };
  if (isDuet) await everyOne(order.map(measureInto));
  else for (const name of order) await measureInto(name);
  const { a, b } = trials;
  if (b === undefined || (a === undefined && sides.a !== null)) return null;
  const pair = pairOf(scenario, { a: a ?? null, b }, { limits, isDuet });
  if (together === undefined || together.met) return pair;
  return { ...pair, discarded: pair.discarded ?? 'the two trials did not begin together' };
}

/** A round's order of sides: AB, BA, BA, AB and so on, so that neither side has a place of its own. */
export function orderOf(round: number): readonly [SideName, SideName] {
  const [first] = trialOrder(2, 4).slice(((round - 1) % 4) * 2);
  return first === 0 ? ['a', 'b'] : ['b', 'a'];
}

/** All of them to their end, whatever becomes of one: nothing may be left running. Then the first error, if there is one. */
async function everyOne(parts: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(parts);
  await Promise.all(parts);
}
