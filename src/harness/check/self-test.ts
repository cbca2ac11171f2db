/**
 * Self-test: how often a check is wrong, measured by making many checks out of recorded trials. Pure; randomness is
 * passed in.
 *
 * Each check draws rounds from the recording, with replacement, and goes through the same looks and decisions as a real
 * one until the rounds that its budget allows are used up. Rounds are drawn whole, so that what the host did to both
 * sides of one stays together.
 */
import { checkMetricKeys, type CheckMetricKey, checkMetric, scenarioNames } from './check-metrics.ts';
import type { Pair, Round } from './check-record.ts';
import { metricRecords, metricVerdicts, overallVerdict, type Question } from './conclude.ts';
import { roundsMin } from './evidence.ts';
import { Judge } from './judge.ts';
import type { Recording, VariantName } from './recording.ts';
import { Sampling } from './sampling.ts';

export interface SelfTestPlan {
  /** Checks per variant. */
  readonly checks: number;
  readonly alpha: number;
  readonly budgetMs: number;
  readonly random: () => number;
}

/** A share of checks, with its 95 % interval. */
export interface Rate {
  readonly rate: number;
  readonly count: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

export interface VariantReport {
  readonly variant: VariantName;
  /** What its figures are of the code's own, as a median over rounds; only metrics with a figure. */
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
  const recorded = recording.rounds.flatMap(({ variants }) => pairsOf(variants, variant));
  const counted = recorded.filter((pairs) => pairs.every((pair) => pair.discarded === null));
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
    const { verdict, rounds } = drawCheck(recorded, variant, question, { recording, plan });
    lengths.push(rounds);
    counts[verdict === 'worse' || verdict === 'inconclusive' ? verdict : 'passed'] += 1;
  }
  return {
    variant,
    effects: effectsOf(counted, question, plan.random),
    worse: rateOf(counts.worse, plan.checks),
    inconclusive: rateOf(counts.inconclusive, plan.checks),
    passed: rateOf(counts.passed, plan.checks),
    roundsMedian: lengths.toSorted((one, other) => one - other)[Math.floor(lengths.length / 2)] ?? 0,
  };
}

/** A round as a check would have seen it: where nothing was changed, both sides are the code itself. */
function pairsOf(variants: Recording['rounds'][number]['variants'], variant: VariantName): Pair[][] {
  const changed = variants[variant];
  if (changed === undefined) return [];
  const scenarios = new Set(changed.map(({ scenario }) => scenario));
  // What leaks is measured where it is asked for, and then alone.
  const rest = scenarios.has('leaking') ? [] : (variants.same ?? []);
  return [[...changed, ...rest.filter(({ scenario }) => !scenarios.has(scenario))]];
}

function drawCheck(
  recorded: readonly (readonly Pair[])[],
  variant: VariantName,
  question: Question,
  { recording, plan: { alpha, budgetMs, random } }: { recording: Recording; plan: SelfTestPlan },
) {
  const scenarios = scenarioNames.filter((name) => recorded[0]?.some(({ scenario }) => scenario === name));
  const sampling = new Sampling({ question, scenarios, alpha, budgetMs, roundsMax: Infinity });
  let spentMs = 0;
  for (;;) {
    const due = sampling.due(spentMs);
    if (due.length === 0) break;
    const drawn = recorded[Math.floor(random() * recorded.length)] ?? [];
    // Two trials of the same code have no side of their own.
    const turned = variant === 'same' && random() < 0.5;
    const pairs = drawn
      .filter(({ scenario }) => due.includes(scenario))
      .map((pair) => ({
        pair: turned ? turnedPair(pair) : pair,
        tookMs: recording.pairMs[pair.scenario] ?? 0,
      }));
    spentMs += pairs.reduce((sum, { tookMs }) => sum + tookMs, 0);
    sampling.add('AB', pairs);
  }
  sampling.end();
  return {
    verdict: overallVerdict(metricVerdicts(sampling.rounds, question, sampling.judge), []),
    rounds: sampling.rounds.length,
    spentMs,
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

/** Wilson's interval for a share (Journal of the American Statistical Association 22, 1927): right for 0 of n too. */
export function rateOf(count: number, of: number): Rate {
  const z = 1.959964;
  const rate = of === 0 ? 0 : count / of;
  const centre = (rate + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2));
  return { rate, count, of, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
