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
import type { CheckRecord } from './check-record.ts';
import { roundWarnings, unansweredWarnings } from './check-warnings.ts';
import { limitRecords, metricRecords, overallVerdict, type Question } from './conclude.ts';
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
    sides = await openSides(options, scratchDir, {
      interrupt: hooks.interrupt,
      onWait: (what) => {
        hooks.onProgress({ round: 0, roundsExpected: null, what, elapsedMs: monotonicMs() - startMs });
      },
    });
    return await measure(options, sides, { ...call, startMs }, hooks);
  } catch (error) {
    // Whatever an interrupted install says is not what the user has to know.
    if (hooks.interrupt.aborted) return null;
    throw error;
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
  const measuringMs: CheckRecord['spent']['measuringMs'] = {};
  const scenarios = scenariosOf(options, sides);
  const asked: Question = {
    effects: new Map([...options.effects].filter(([key]) => scenarios.includes(checkMetric(key).scenario))),
    limits: options.limits,
  };
  const sampling = new Sampling({
    ...options,
    question: asked,
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
            const roundsExpected = sampling.roundsExpected(spentMs());
            hooks.onProgress({ round, roundsExpected, what, elapsedMs: spentMs() });
          },
        },
      );
      if (pair === null) {
        complete = false;
        break;
      }
      const tookMs = monotonicMs() - startMs;
      pairs.push({ pair, tookMs });
      measuringMs[scenario] = (measuringMs[scenario] ?? 0) + tookMs;
    }
    if (complete) sampling.add(orderOf(round)[0] === 'a' ? 'AB' : 'BA', pairs);
    due = sampling.due(spentMs());
  }
  if (rounds.length === 0) return null;
  if (complete) sampling.end();
  const spent = { preparingMs, measuringMs, totalMs: spentMs() };
  return recordOf(options, sides, call, sampling, { complete, asked, scenarios, spent });
}

interface Measured extends Pick<CheckRecord, 'complete' | 'spent'> {
  readonly asked: Question;
  readonly scenarios: readonly ScenarioName[];
}

function recordOf(
  options: CheckOptions,
  sides: Sides,
  { id, startedAt, command }: CheckCall,
  sampling: Sampling,
  { complete, asked, scenarios, spent }: Measured,
): CheckRecord {
  const { rounds, judge } = sampling;
  const question = sampling.question();
  const random = seededRandom(deriveSeed(options.seed, 'intervals'));
  const metrics = metricRecords(rounds, question, judge, random);
  const limits = limitRecords(rounds, question, judge);
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
    pattern: sides.pattern,
    scenarios: scenarios.map((name) => ({ name, flags: sides.flagsOf(name) })),
    alpha: options.alpha,
    budgetMs: options.budgetMs,
    spent,
    rounds,
    metrics,
    limits,
    warnings: [
      ...sides.warnings,
      ...roundWarnings(rounds),
      ...unansweredWarnings([...asked.effects.keys()], question),
    ],
    verdict: overallVerdict(metrics, limits),
  };
}

/** Only what something is asked of. */
function scenariosOf({ effects, limits }: CheckOptions, sides: Sides): ScenarioName[] {
  const there = sides.scenarios.join(' and ');
  const missing = limits.find((limit) => !sides.scenarios.includes(limit.scenario));
  if (missing !== undefined) {
    throw new UsageError(
      `the limit ${missing.text} is on the ${missing.scenario} scenario, and these results are of the ${there} one`,
    );
  }
  const asked = new Set([
    ...[...effects.keys()].map((key) => checkMetric(key).scenario),
    ...limits.map((limit) => limit.scenario),
  ]);
  const measured = scenarioNames.filter((name) => asked.has(name) && sides.scenarios.includes(name));
  if (measured.length === 0) {
    throw new UsageError(
      `these results are of the ${there} scenario, and nothing is asked of it; see --only and --limit`,
    );
  }
  return measured;
}
