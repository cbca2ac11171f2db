/** Conclude: from the rounds of a check to its verdicts. Pure; randomness is passed in. */
import { geometricMeanEstimate, meanEstimate, medianOf } from '../statistics.ts';
import {
  type CheckMetricKey,
  checkMetric,
  harmIn,
  type ScenarioName,
  smallestHarmOf,
} from './check-metrics.ts';
import type { CheckRecord, LimitRecord, MetricRecord, Pair, Round } from './check-record.ts';
import { roundsMin } from './evidence.ts';
import type { Decision, Evidence, Judge } from './judge.ts';
import type { Limit } from './limit.ts';

/** What a check is to decide. */
export interface Question {
  /** The metrics that are compared, each with the smallest effect that matters. */
  readonly effects: ReadonlyMap<CheckMetricKey, number>;
  readonly limits: readonly Limit[];
}

/** Rounds in which a limit has to hold to be called kept where statistics cannot say more. */
const limitRoundsMin = 5;

/**
 * The question without what has no answer: metrics that, after several rounds, no pair had on both sides, such as the
 * times of a breaker that one of the stacks does not have.
 */
export function answerable(rounds: readonly Round[], question: Question): Question {
  const hasAnswer = (key: CheckMetricKey) =>
    comparedPairs(rounds, key).length > 0 ||
    countedPairs(rounds, checkMetric(key).scenario).length < roundsMin;
  return { ...question, effects: new Map([...question.effects].filter(([key]) => hasAnswer(key))) };
}

/** What the judge looks at, by metric and by the text of each limit. */
export function evidenceOf(rounds: readonly Round[], { effects, limits }: Question): Map<string, Evidence> {
  const evidence = new Map<string, Evidence>();
  for (const [key, effect] of effects) {
    const harms = comparedPairs(rounds, key).map(({ a, b }) => harmIn(key, a, b) ?? 0);
    evidence.set(key, { harms, smallestHarm: smallestHarmOf(key, effect) });
  }
  for (const limit of limits) {
    // Above the bound is harm; a bound has no effect that is too small to matter.
    const harms = limitedFigures(rounds, limit).map((figure) => excessOf(limit, figure));
    evidence.set(limit.text, { harms, smallestHarm: 0 });
  }
  return evidence;
}

/** Whether more rounds could change nothing. */
export function isSettled(rounds: readonly Round[], question: Question, judge: Judge): boolean {
  const metrics = [...question.effects.keys()].every((key) => decisionOn(key, rounds, judge) !== undefined);
  return metrics && question.limits.every((limit) => limitVerdict(limit, rounds, judge) !== 'inconclusive');
}

/** The verdicts alone, in the order of the metrics: all that a self-test asks for, at a thousandth of the cost. */
export function metricVerdicts(
  rounds: readonly Round[],
  { effects }: Question,
  judge: Judge,
): Pick<MetricRecord, 'verdict'>[] {
  return [...effects.keys()].map((key) => ({
    verdict: decisionOn(key, rounds, judge)?.verdict ?? 'inconclusive',
  }));
}

export function metricRecords(
  rounds: readonly Round[],
  { effects }: Question,
  judge: Judge,
  random: () => number,
): MetricRecord[] {
  return [...effects].map(([key, smallestEffect]) => {
    const { name, unit, scenario, better, scale, floor } = checkMetric(key);
    const pairs = comparedPairs(rounds, key);
    const figures = pairs.map(({ a, b }) => ({ a: a[key] ?? 0, b: b[key] ?? 0 }));
    const estimate =
      scale === 'ratio'
        ? geometricMeanEstimate(
            figures.map(({ a, b }) => Math.max(b, floor) / Math.max(a, floor)),
            random,
          )
        : meanEstimate(
            figures.map(({ a, b }) => b - a),
            random,
          );
    const decision = decisionOn(key, rounds, judge);
    return {
      key,
      name,
      unit,
      scenario,
      better,
      scale,
      smallestEffect,
      rounds: pairs.length,
      a: medianOrNull(figures.map((figure) => figure.a)),
      b: medianOrNull(figures.map((figure) => figure.b)),
      change: estimate && {
        value: estimate.value,
        low: estimate.interval?.low ?? null,
        high: estimate.interval?.high ?? null,
      },
      verdict: decision?.verdict ?? 'inconclusive',
      decidedInRound: decision?.round ?? null,
    };
  });
}

export function limitRecords(rounds: readonly Round[], { limits }: Question, judge: Judge): LimitRecord[] {
  return limits.map((limit) => {
    const figures = limitedFigures(rounds, limit);
    return {
      text: limit.text,
      scenario: limit.scenario,
      limit: limit.value,
      value: medianOrNull(figures),
      rounds: figures.length,
      verdict: limitVerdict(limit, rounds, judge),
    };
  });
}

export function overallVerdict(
  metrics: readonly Pick<MetricRecord, 'verdict'>[],
  limits: readonly Pick<LimitRecord, 'verdict'>[],
): CheckRecord['verdict'] {
  const has = (verdict: MetricRecord['verdict']) => metrics.some((metric) => metric.verdict === verdict);
  if (has('worse') || limits.some((limit) => limit.verdict === 'broken')) return 'worse';
  if (has('inconclusive') || limits.some((limit) => limit.verdict === 'inconclusive')) return 'inconclusive';
  return has('better') ? 'better' : 'same';
}

function decisionOn(key: CheckMetricKey, rounds: readonly Round[], judge: Judge): Decision | undefined {
  return firstOfItsKind(key, rounds) ?? judge.decisionOf(key);
}

/** Of a figure that must never be above 0, and is not with A: the first round in which it is with B. */
function firstOfItsKind(key: CheckMetricKey, rounds: readonly Round[]): Decision | undefined {
  if (!checkMetric(key).worseAtOnce) return undefined;
  const pairs = comparedPairs(rounds, key);
  if (pairs.some(({ a }) => (a[key] ?? 0) > 0)) return undefined;
  const found = pairs.find(({ b }) => (b[key] ?? 0) > 0);
  return found && { verdict: 'worse', round: found.round };
}

function limitVerdict(limit: Limit, rounds: readonly Round[], judge: Judge): LimitRecord['verdict'] {
  const decided = judge.decisionOf(limit.text)?.verdict;
  if (decided === 'worse') return 'broken';
  const figures = limitedFigures(rounds, limit);
  const holdsInAll =
    figures.length >= limitRoundsMin && figures.every((figure) => excessOf(limit, figure) <= 0);
  return decided === 'better' || holdsInAll ? 'kept' : 'inconclusive';
}

/** How far beyond the limit; 0 and below: it is kept. */
function excessOf({ bound, value }: Limit, figure: number): number {
  return bound === 'max' ? figure - value : value - figure;
}

/** The pairs that count and in which both sides have the metric. */
function comparedPairs(rounds: readonly Round[], key: CheckMetricKey) {
  return countedPairs(rounds, checkMetric(key).scenario).flatMap(({ round, a, b }) =>
    a === null || harmIn(key, a, b) === null ? [] : [{ round, a, b }],
  );
}

function limitedFigures(rounds: readonly Round[], limit: Limit): number[] {
  return countedPairs(rounds, limit.scenario)
    .map(({ limits }) => limits[limit.text] ?? null)
    .filter((figure) => figure !== null);
}

function countedPairs(
  rounds: readonly Round[],
  scenario: ScenarioName,
): (Pair & { readonly round: number })[] {
  return rounds.flatMap(({ round, pairs }) =>
    pairs
      .filter((pair) => pair.scenario === scenario && pair.discarded === null)
      .map((pair) => ({ ...pair, round })),
  );
}

/** Null for none. */
function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : medianOf(values);
}
