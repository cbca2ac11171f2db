/**
 * Sampling: which trials a check measures next, until every metric is decided or the budget is spent. Pure: a check and
 * the self-test, which draws its rounds from a recording, go through the same looks and stop by the same rules.
 */
import { checkMetric, type ScenarioName } from './check-metrics.ts';
import type { Pair, Round } from './check-record.ts';
import { answerable, evidenceOf, isSettled, type Question } from './conclude.ts';
import { roundsMin } from './evidence.ts';
import { isLookDue, Judge } from './judge.ts';

/** Rounds that a check is stopped after, whatever its budget. */
export const roundsMax = 90;

export interface SamplingPlan {
  readonly question: Question;
  /** What can be measured. */
  readonly scenarios: readonly ScenarioName[];
  readonly alpha: number;
  readonly budgetMs: number;
  readonly roundsMax: number;
}

/** A pair and how long it took to measure. */
export interface TimedPair {
  readonly pair: Pair;
  readonly tookMs: number;
}

export class Sampling {
  readonly rounds: Round[] = [];
  readonly judge: Judge;
  private readonly plan: SamplingPlan;
  private readonly longestMs = new Map<ScenarioName, number>();

  constructor(plan: SamplingPlan) {
    this.plan = plan;
    this.judge = new Judge(plan.alpha);
  }

  /**
   * What the next round is to measure: each scenario of which something is undecided. Empty: there is no next round.
   *
   * @param spentMs How much of the budget.
   */
  due(spentMs: number): ScenarioName[] {
    const { scenarios, budgetMs, roundsMax } = this.plan;
    if (this.rounds.length >= roundsMax) return [];
    const open = this.open(scenarios);
    const isFirst = this.rounds.length === 0;
    return isFirst || spentMs + this.expectedMs(open) <= budgetMs ? open : [];
  }

  /** How many rounds there will be at most, as far as that can be told; null: it cannot. */
  roundsExpected(spentMs: number): number | null {
    const { scenarios, budgetMs, roundsMax: most } = this.plan;
    const roundMs = this.expectedMs(this.open(scenarios));
    if (roundMs === 0) return null;
    return Math.min(most, this.rounds.length + Math.floor((budgetMs - spentMs) / roundMs));
  }

  add(order: Round['order'], pairs: readonly TimedPair[]): void {
    for (const { pair, tookMs } of pairs) {
      this.longestMs.set(pair.scenario, Math.max(tookMs, this.longestMs.get(pair.scenario) ?? 0));
    }
    const round = this.rounds.length + 1;
    this.rounds.push({ round, order, pairs: pairs.map(({ pair }) => pair) });
    // The last round that there may be is looked at once, at the end, with all that is left.
    if (isLookDue(round) && round < this.plan.roundsMax) {
      this.judge.look(round, evidenceOf(this.rounds, this.question()));
    }
  }

  /** What is asked, as far as it has an answer. */
  question(): Question {
    return answerable(this.rounds, this.plan.question);
  }

  /** The last look, where something is still undecided. Nothing can be added any more. */
  end(): void {
    const question = this.question();
    if (isSettled(this.rounds, question, this.judge)) return;
    this.judge.look(this.rounds.length, evidenceOf(this.rounds, question), true);
  }

  /** Of which something is undecided. */
  private open(scenarios: readonly ScenarioName[]): ScenarioName[] {
    const question = this.question();
    return scenarios.filter((scenario) => {
      const asked = questionOf(question, scenario);
      if (asked.effects.size + asked.limits.length === 0) return false;
      return this.rounds.length < roundsMin || !isSettled(this.rounds, asked, this.judge);
    });
  }

  private expectedMs(scenarios: readonly ScenarioName[]): number {
    return scenarios.reduce((sum, scenario) => sum + (this.longestMs.get(scenario) ?? 0), 0);
  }
}

function questionOf({ effects, limits }: Question, scenario: ScenarioName): Question {
  return {
    effects: new Map([...effects].filter(([key]) => checkMetric(key).scenario === scenario)),
    limits: limits.filter((limit) => limit.scenario === scenario),
  };
}
