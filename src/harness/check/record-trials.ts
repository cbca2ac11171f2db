/** Record trials: measures the code against itself and against known regressions, for self-tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeHost } from '../host.ts';
import { MachineError } from '../machine-error.ts';
import type { Trial } from '../result.ts';
import { monotonicMs } from '../time.ts';
import { checkDefaults, patternFlags, scenarioDefaults, words } from './check-options.ts';
import { duets, type ScenarioName, scenarioNames } from './check-metrics.ts';
import type { Pair } from './check-record.ts';
import { pairOf } from './pair.ts';
import { type Recording, type VariantName, variantNames } from './recording.ts';
import { runCommandIn } from './run-command.ts';
import { measureSide } from './side-run.ts';

/** Time that a slowed-down gateway burns per order while the pilot finds out what that does to its p50. */
const pilotBurnMs = 0.1;
const pilotRounds = 4;

export interface RecordHooks {
  readonly interrupt: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Hears of the recording after each round, so that a recording that is interrupted is not lost. */
  readonly onRound: (recording: Recording) => void;
}

/** Records `rounds` rounds, or as many as there are before it is interrupted. */
export async function recordTrials(rounds: number, seed: number, hooks: RecordHooks): Promise<void> {
  const startedAt = new Date();
  const scratchDir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-check-runs-'));
  const dir = process.cwd();
  const command = runCommandIn(dir, 'working tree');
  const measure = async (scenario: ScenarioName, round: number, further: string): Promise<Trial | null> => {
    const flags = [
      ...words(scenarioDefaults[scenario]),
      ...patternFlags(checkDefaults.pattern, []),
      ...words(further),
      '--seed',
      String(seed + round),
    ];
    const side = { label: further || 'the code itself', command, dir, flags, scratchDir };
    return (await measureSide(side, hooks.interrupt))?.trial ?? null;
  };

  const measurePair = async (
    scenario: ScenarioName,
    round: number,
    further: string,
  ): Promise<Pair | null> => {
    const plain = () => measure(scenario, round, '');
    const changed = () => measure(scenario, round, further);
    // Which of them is first changes from round to round.
    const [first, second] = round % 2 === 0 ? [changed, plain] : [plain, changed];
    const starts = first();
    if (!duets.has(scenario)) await starts;
    const [one, other] = await Promise.all([starts, second()]);
    if (one === null || other === null) return null;
    return round % 2 === 0 ? pairOf(scenario, other, one, []) : pairOf(scenario, one, other, []);
  };

  try {
    const burn = await pilot(measurePair, hooks.onProgress);
    if (burn === null) return;
    const variants: Recording['variants'] = {
      same: { healthy: '', failing: '' },
      slower10: { healthy: burnFlags(burn.msFor10) },
      slower5: { healthy: burnFlags(burn.msFor10 / 2) },
      leakier: { failing: '--leak 96KB' },
    };
    const recording: Recording = {
      schema: 1,
      kind: 'self-test-recording',
      startedAt: startedAt.toISOString(),
      host: describeHost(),
      pattern: checkDefaults.pattern,
      scenarios: scenarioDefaults,
      variants,
      roundMs: 1,
      rounds: [],
    };
    let sameMs = 0;
    for (let round = 1; round <= rounds; round++) {
      hooks.onProgress(`round ${round} of ${rounds}`);
      const found: Partial<Record<VariantName, Pair[]>> = {};
      for (const scenario of scenarioNames) {
        for (const name of dueIn(round).filter((due) => variants[due][scenario] !== undefined)) {
          const startMs = monotonicMs();
          const pair = await measurePair(scenario, round, variants[name][scenario] ?? '');
          if (pair === null) return;
          (found[name] ??= []).push(pair);
          if (name === 'same') sameMs += monotonicMs() - startMs;
        }
      }
      recording.rounds.push({ round, variants: found });
      recording.roundMs = sameMs / round;
      hooks.onRound(recording);
    }
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

/** What is compared with the code itself in a round: what a self-test needs most in every one, the rest in turn. */
function dueIn(round: number): readonly VariantName[] {
  return variantNames.filter(
    (name) => name === 'same' || name === 'slower10' || (name === 'leakier') === (round % 2 === 0),
  );
}

function burnFlags(forMs: number): string {
  return `--pattern burn+${checkDefaults.pattern} --set burn.forMs=${forMs.toFixed(4)}`;
}

/** How long an order has to be burned for the p50 to grow by 10 %. Null: interrupted. */
async function pilot(
  measurePair: (scenario: ScenarioName, round: number, further: string) => Promise<Pair | null>,
  onProgress: (text: string) => void,
): Promise<{ readonly msFor10: number } | null> {
  let plainMs = 0;
  let burnedMs = 0;
  for (let round = 1; round <= pilotRounds; round++) {
    onProgress(`pilot ${round} of ${pilotRounds}: what burning ${pilotBurnMs} ms does to the p50`);
    const pair = await measurePair('healthy', round, burnFlags(pilotBurnMs));
    if (pair === null) return null;
    plainMs += pair.a?.responseP50 ?? 0;
    burnedMs += pair.b.responseP50 ?? 0;
  }
  const growth = burnedMs / plainMs - 1;
  if (!(growth > 0.02)) {
    throw new MachineError(
      `burning ${pilotBurnMs} ms per order changed the p50 by ${Math.round(growth * 100)} %: the host is too noisy to record on`,
    );
  }
  return { msFor10: (0.1 / growth) * pilotBurnMs };
}
