/**
 * Self-test: how often a check is wrong, measured by making many checks out of recorded trials. Pure; randomness is
 * passed in.
 *
 * Each check draws rounds from the recording, with replacement, and goes through the same looks and decisions as a real
 * one until the rounds that its budget allows are used up. Rounds are drawn whole, so that what the host did to both
 * sides of one stays together.
 */
import { medianOf, rateOf, type Rate } from '../statistics.ts';
import { checkMetricKeys, type CheckMetricKey, checkMetric, scenarioNames } from './check-metrics.ts';
import type { Pair, Round } from './check-record.ts';
import { metricRecords, metricVerdicts, overallVerdict, type Question } from './conclude.ts';
import { roundsMin } from './evidence.ts';
import { Judge } from './judge.ts';
import type { Recording, VariantName } from './recording.ts';
import { roundsMax, Sampling, type TimedPair } from './sampling.ts';

export interface SelfTestPlan {
  /** Checks per variant. */
  readonly checks: number;
  readonly alpha: number;
  readonly budgetMs: number;
  readonly random: () => number;
}

export interface VariantReport {
  readonly variant: VariantName;
  /** What its figures are of the code's own, as a mean over rounds; only metrics with a figure. */
  readonly effects: readonly { readonly key: CheckMetricKey; readonly value: number }[];
  readonly worse: Rate;
  readonly inconclusive: Rate;
  /** Neither: nothing was called worse, and everything was decided. */
  readonly passed: Rate;
  /** Of all checks, how many rounds they took. */
  readonly roundsMedian: number;
}

/** @returns Null: the recording has too few rounds of the variant that count. */
export function testVariant(
  recording: Recording,
  variant: VariantName,
  plan: SelfTestPlan,
): VariantReport | null {
  const recorded = recording.rounds.flatMap(({ variants }) => roundOf(variants, variant));
  const counted = recorded
    .map((timed) => timed.map(({ pair }) => pair))
    .filter((pairs) => pairs.every((pair) => pair.discarded === null));
  if (counted.length < roundsMin) return null;
  const scenarios = new Set(counted.flat().map((pair) => pair.scenario));
  const keys = checkMetricKeys.filter((key) => scenarios.has(checkMetric(key).scenario));
  const question: Question = {
    effects: new Map(keys.map((key) => [key, checkMetric(key).smallestEffect])),
    limits: [],
  };
  const counts = { worse: 0, inconclusive: 0, passed: 0 };
  const lengths: number[] = [];
  for (let check = 0; check < plan.checks; check++) {
    const { verdict, rounds } = drawCheck(recorded, variant, question, plan);
    lengths.push(rounds);
    counts[verdict === 'worse' || verdict === 'inconclusive' ? verdict : 'passed'] += 1;
  }
  return {
    variant,
    effects: effectsOf(counted, question, plan.random),
    worse: rateOf(counts.worse, plan.checks),
    inconclusive: rateOf(counts.inconclusive, plan.checks),
    passed: rateOf(counts.passed, plan.checks),
    roundsMedian: medianOf(lengths),
  };
}

/** A round as a check would have seen it: where nothing was changed, both sides are the code itself. */
function roundOf(variants: Recording['rounds'][number]['variants'], variant: VariantName): TimedPair[][] {
  const changed = variants[variant];
  if (changed === undefined) return [];
  const scenarios = new Set(changed.map(({ pair }) => pair.scenario));
  // What leaks is measured where it is asked for, and then alone.
  const rest = scenarios.has('leaking') ? [] : (variants.same ?? []);
  return [[...changed, ...rest.filter(({ pair }) => !scenarios.has(pair.scenario))]];
}

function drawCheck(
  recorded: readonly (readonly TimedPair[])[],
  variant: VariantName,
  question: Question,
  { alpha, budgetMs, random }: SelfTestPlan,
) {
  const scenarios = scenarioNames.filter((name) => recorded[0]?.some(({ pair }) => pair.scenario === name));
  const sampling = new Sampling({ question, scenarios, alpha, budgetMs, roundsMax });
  let spentMs = 0;
  for (let due = sampling.due(0); due.length > 0; due = sampling.due(spentMs)) {
    const drawn = recorded[Math.floor(random() * recorded.length)] ?? [];
    // Two trials of the same code have no side of their own.
    const turned = variant === 'same' && random() < 0.5;
    const measured = drawn
      .filter(({ pair }) => due.includes(pair.scenario))
      .map(({ pair, tookMs }) => ({ pair: turned ? turnedPair(pair) : pair, tookMs }));
    spentMs += measured.reduce((sum, { tookMs }) => sum + tookMs, 0);
    sampling.add('AB', measured);
  }
  sampling.end();
  return {
    verdict: overallVerdict(metricVerdicts(sampling.rounds, sampling.question(), sampling.judge), []),
    rounds: sampling.rounds.length,
  };
}

function turnedPair(pair: Pair): Pair {
  return pair.a === null ? pair : { ...pair, a: pair.b, b: pair.a };
}

function effectsOf(
  counted: readonly (readonly Pair[])[],
  question: Question,
  random: () => number,
): VariantReport['effects'] {
  const rounds: Round[] = counted.map((pairs, index) => ({
    round: index + 1,
    order: 'AB',
    pairs: [...pairs],
  }));
  return metricRecords(rounds, question, new Judge(0.05), random).flatMap(({ key, change }) =>
    change === null ? [] : [{ key, value: change.value }],
  );
}
