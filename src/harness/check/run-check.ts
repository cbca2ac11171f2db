/** Run check: measures both sides until every metric is decided or the budget is spent. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deriveSeed, seededRandom } from '../../patterns/random.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import { monotonicMs } from '../time.ts';
import { checkMetric, type ScenarioName, scenarioNames } from './check-metrics.ts';
import type { CheckOptions } from './check-options.ts';
import type { CheckRecord, Round } from './check-record.ts';
import { limitRecords, metricRecords, overallVerdict } from './conclude.ts';
import { roundsMin } from './evidence.ts';
import { measurePair, orderOf } from './measure-pair.ts';
import { openSides } from './open-sides.ts';
import { roundsMax, Sampling, type TimedPair } from './sampling.ts';
import type { Sides } from './sides.ts';

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
  call: Context,
  hooks: CheckHooks,
): Promise<CheckRecord | null> {
  const spentMs = () => monotonicMs() - call.startMs;
  const preparingMs = spentMs();
  const tookMs = { healthy: 0, saturated: 0, failing: 0, leaking: 0 };
  const scenarios = scenariosOf(options, sides);
  const sampling = new Sampling({
    ...options,
    question: options,
    scenarios,
    roundsMax: Math.min(sides.roundsMax, roundsMax),
  });
  const { rounds } = sampling;
  let due = sampling.due(spentMs());
  let complete = true;
  while (due.length > 0 && complete) {
    const round = rounds.length + 1;
    const pairs: TimedPair[] = [];
    for (const scenario of due) {
      const startMs = monotonicMs();
      const pair = await measurePair(
        sides,
        { scenario, round, limits: options.limits },
        {
          interrupt: hooks.interrupt,
          onTrial: (what) => {
            const roundsExpected = sampling.roundsExpected();
            hooks.onProgress({ round, roundsExpected, what, elapsedMs: spentMs() });
          },
        },
      );
      if (pair === null) {
        complete = false;
        break;
      }
      pairs.push({ pair, tookMs: monotonicMs() - startMs });
      tookMs[scenario] += monotonicMs() - startMs;
    }
    if (complete) sampling.add(orderOf(round)[0] === 'a' ? 'AB' : 'BA', pairs);
    due = sampling.due(spentMs());
  }
  if (rounds.length === 0) return null;
  if (complete) sampling.end();
  return recordOf(options, sides, call, sampling, {
    complete,
    scenarios,
    spent: {
      preparingMs,
      healthyMs: tookMs.healthy,
      saturatedMs: tookMs.saturated,
      failingMs: tookMs.failing,
      leakingMs: tookMs.leaking,
      totalMs: spentMs(),
    },
  });
}

interface Measured extends Pick<CheckRecord, 'complete' | 'spent'> {
  readonly scenarios: readonly ScenarioName[];
}

function recordOf(
  options: CheckOptions,
  sides: Sides,
  { id, startedAt, command }: CheckCall,
  { rounds, judge }: Sampling,
  { complete, scenarios, spent }: Measured,
): CheckRecord {
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
    host: describeHost(),
    sides: { a: sides.a, b: sides.b },
    aMeasuredEarlier: sides.aMeasuredEarlier,
    pattern: options.pattern,
    scenarios: scenarios.map((name) => ({ name, flags: options.scenarios[name].join(' ') })),
    alpha: options.alpha,
    budgetMs: options.budgetMs,
    spent,
    rounds,
    metrics,
    limits,
    warnings: [...sides.warnings, ...roundWarnings(rounds)],
    verdict: overallVerdict(metrics, limits),
  };
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
