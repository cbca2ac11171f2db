/** Run check: measures both sides until every metric is decided or the budget is spent. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deriveSeed, seededRandom } from '../../patterns/random.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import type { Trial } from '../result.ts';
import { monotonicMs } from '../time.ts';
import { trialOrder } from '../trial-order.ts';
import { checkMetric, duets, type ScenarioName, scenarioNames } from './check-metrics.ts';
import type { CheckOptions } from './check-options.ts';
import type { CheckRecord, Pair, Round } from './check-record.ts';
import { evidenceOf, isSettled, limitRecords, metricRecords, overallVerdict } from './conclude.ts';
import { roundsMin } from './evidence.ts';
import { isLookDue, Judge } from './judge.ts';
import { pairOf } from './pair.ts';
import { openSides, type SideName, type Sides } from './sides.ts';

export interface CheckProgress {
  readonly round: number;
  /** Null: not known yet. */
  readonly roundsExpected: number | null;
  readonly what: string;
  readonly elapsedMs: number;
}

export interface CheckHooks {
  readonly interrupt: AbortSignal;
  readonly onProgress: (progress: CheckProgress) => void;
}

/** How the check was called. */
export interface CheckCall {
  readonly id: string;
  readonly command: string;
  readonly startedAt: Date;
}

/** Rounds that a check is stopped after, whatever its budget. */
const roundsMax = 89;

/**
 * Null: interrupted before a round was complete. Whatever happens, neither a process nor a worktree is left.
 *
 * @throws {UsageError} If the sides cannot be compared.
 * @throws {MachineError} If one of them cannot be measured.
 */
export async function runCheck(
  options: CheckOptions,
  call: CheckCall,
  hooks: CheckHooks,
): Promise<CheckRecord | null> {
  const startMs = monotonicMs();
  const scratchDir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-check-runs-'));
  let sides: Sides | undefined;
  try {
    sides = await openSides(options, scratchDir, (what) => {
      hooks.onProgress({ round: 0, roundsExpected: null, what, elapsedMs: monotonicMs() - startMs });
    });
    return await measure(options, sides, { ...call, startMs }, hooks);
  } finally {
    sides?.close();
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

interface Context extends CheckCall {
  readonly startMs: number;
}

async function measure(
  options: CheckOptions,
  sides: Sides,
  { id, command, startedAt, startMs }: Context,
  hooks: CheckHooks,
): Promise<CheckRecord | null> {
  const judge = new Judge(options.alpha);
  const host = describeHost();
  const rounds: Round[] = [];
  const spent = {
    preparingMs: monotonicMs() - startMs,
    healthyMs: 0,
    saturatedMs: 0,
    lossyMs: 0,
    failingMs: 0,
  };
  const scenarios = scenariosOf(options, sides);
  const last = Math.min(sides.roundsMax, roundsMax);
  let longestRoundMs = 0;
  let settled = false;

  while (rounds.length < last && !settled) {
    const roundStartMs = monotonicMs();
    const elapsedMs = roundStartMs - startMs;
    if (rounds.length > 0 && elapsedMs + longestRoundMs > options.budgetMs) break;
    const round = rounds.length + 1;
    const order = orderOf(round);
    const pairs: Pair[] = [];
    for (const scenario of scenarios) {
      const scenarioStartMs = monotonicMs();
      const measureSide = (name: SideName) => {
        hooks.onProgress({
          round,
          roundsExpected: longestRoundMs === 0 ? null : Math.floor(options.budgetMs / longestRoundMs),
          what: duets.has(scenario) ? `${scenario}, both sides` : `${scenario}, ${sides[name]?.label ?? ''}`,
          elapsedMs: monotonicMs() - startMs,
        });
        return sides.measure(name, scenario, round, hooks.interrupt);
      };
      const trials = await bothTrials(sides.a === null ? ['b'] : order, duets.has(scenario), measureSide);
      if (trials === null) return rounds.length === 0 ? null : conclude(false);
      pairs.push(pairOf(scenario, trials.a ?? null, trials.b, options.limits));
      spent[`${scenario}Ms`] += monotonicMs() - scenarioStartMs;
    }
    rounds.push({ round, order: order[0] === 'a' ? 'AB' : 'BA', pairs });
    if (isLookDue(round)) judge.look(round, evidenceOf(rounds, options));
    settled = rounds.length >= roundsMin && isSettled(rounds, options, judge);
    longestRoundMs = Math.max(longestRoundMs, monotonicMs() - roundStartMs);
  }
  if (!settled) judge.look(rounds.length, evidenceOf(rounds, options), true);
  return conclude(true);

  function conclude(complete: boolean): CheckRecord {
    const random = seededRandom(deriveSeed(options.seed, 'intervals'));
    const metrics = metricRecords(rounds, options, judge, random);
    const limits = limitRecords(rounds, options, judge);
    return {
      schema: 1,
      kind: 'check',
      id,
      startedAt: startedAt.toISOString(),
      complete,
      command,
      host,
      sides: { a: sides.a, b: sides.b },
      aMeasuredEarlier: sides.aMeasuredEarlier,
      pattern: options.pattern,
      scenarios: scenarios.map((name) => ({ name, flags: options.scenarios[name].join(' ') })),
      alpha: options.alpha,
      budgetMs: options.budgetMs,
      spent: { ...spent, totalMs: monotonicMs() - startMs },
      rounds,
      metrics,
      limits,
      warnings: [...sides.warnings, ...roundWarnings(rounds)],
      verdict: overallVerdict(metrics, limits),
    };
  }
}

/** In this order, at once or one after the other. Null: interrupted. */
async function bothTrials(
  order: readonly SideName[],
  atOnce: boolean,
  measureSide: (name: SideName) => Promise<Trial | null>,
): Promise<{ readonly a: Trial | undefined; readonly b: Trial } | null> {
  const trials: Partial<Record<SideName, Trial>> = {};
  const measureInto = async (name: SideName) => {
    const trial = await measureSide(name);
    if (trial !== null) trials[name] = trial;
  };
  if (atOnce) await everyOne(order.map(measureInto));
  else for (const name of order) await measureInto(name);
  const { a, b } = trials;
  return b === undefined || (a === undefined && order.includes('a')) ? null : { a, b };
}

/** All of them to their end, whatever becomes of one: nothing may be left running. Then the first error, if there is one. */
async function everyOne(parts: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(parts);
  await Promise.all(parts);
}

/** A round's order of sides: AB, BA, BA, AB and so on, so that neither side has a place of its own. */
function orderOf(round: number): readonly SideName[] {
  const place = (round - 1) % 4;
  const order = trialOrder(2, 4).slice(place * 2, place * 2 + 2);
  return order.map((side) => (side === 0 ? 'a' : 'b'));
}

/** Only what something is asked of. */
function scenariosOf({ effects, limits }: CheckOptions, sides: Sides): ScenarioName[] {
  const asked = new Set([
    ...[...effects.keys()].map((key) => checkMetric(key).scenario),
    ...limits.map((limit) => limit.scenario),
  ]);
  const measured = scenarioNames.filter((name) => asked.has(name) && sides.scenarios.includes(name));
  if (measured.length === 0) {
    throw new UsageError(
      `these results are of the ${sides.scenarios.join(' and ')} scenario, and nothing is asked of it; see --only and --limit`,
    );
  }
  return measured;
}

function roundWarnings(rounds: readonly Round[]): string[] {
  return scenarioNames.flatMap((scenario) => {
    const pairs = rounds.flatMap((round) => round.pairs).filter((pair) => pair.scenario === scenario);
    const counted = pairs.filter((pair) => pair.discarded === null).length;
    if (pairs.length === 0 || counted >= roundsMin) return [];
    return [
      `only ${counted} of ${pairs.length} ${scenario} rounds count, and nothing is decided with fewer than ${roundsMin}: give a larger --budget, or a quieter machine`,
    ];
  });
}
