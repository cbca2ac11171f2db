/** Record trials: measures the code against itself and against known regressions, for self-tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeHost } from '../host.ts';
import { MachineError } from '../machine-error.ts';
import { monotonicMs } from '../time.ts';
import { checkDefaults, scenarioDefaults } from './check-defaults.ts';
import { type ScenarioName, scenarioNames } from './check-metrics.ts';
import { scenarioFlags } from './check-options.ts';
import { words } from './flag-words.ts';
import { measurePair } from './measure-pair.ts';
import { measuredSides, workingTree } from './measured-sides.ts';
import { type Recording, type VariantName, variantNames } from './recording.ts';
import type { TimedPair } from './sampling.ts';

/** Time that a slowed-down gateway burns per order while the pilot finds out what that does to its p50. */
const pilotBurnMs = 0.5;
const pilotRounds = 4;

export interface RecordHooks {
  readonly interrupt: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Hears of the recording after each round, so that a recording that is interrupted is not lost. */
  readonly onRound: (recording: Recording) => void;
}

/** Records `rounds` rounds, or as many as there are before it is interrupted. Returns how many. */
export async function recordTrials(rounds: number, seed: number, hooks: RecordHooks): Promise<number> {
  const startedAt = new Date();
  const scratchDir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-check-runs-'));
  const options = { pattern: checkDefaults.pattern, scenarios: scenarioFlags(), seed, set: [] };
  const a = workingTree();
  const measure: Measure = async (scenario, round, further) => {
    const startMs = monotonicMs();
    const b = { ...a, label: further || 'the code itself', flags: words(further) };
    const pair = await measurePair(
      measuredSides(options, scratchDir, { a, b }),
      { scenario, round, limits: [] },
      { interrupt: hooks.interrupt, onTrial: () => undefined },
    );
    return pair && { pair, tookMs: monotonicMs() - startMs };
  };

  try {
    const burn = await pilot(measure, hooks.onProgress);
    if (burn === null) return 0;
    const variants: Recording['variants'] = {
      same: { healthy: '', failing: '' },
      slower10: { healthy: burnFlags(burn.msFor10) },
      slower5: { healthy: burnFlags(burn.msFor10 / 2) },
      noBreaker: { failing: '--pattern retry' },
      noJitter: { failing: '--set retry.jitter=none' },
      retriesAll: { failing: '--pattern retry-blind+breaker' },
      leakier: { leaking: '--leak 96KB' },
    };
    const recording: Recording = {
      schema: 2,
      kind: 'self-test-recording',
      startedAt: startedAt.toISOString(),
      host: describeHost(),
      pattern: checkDefaults.pattern,
      scenarios: scenarioDefaults,
      variants,
      rounds: [],
    };
    for (let round = 1; round <= rounds; round++) {
      hooks.onProgress(`round ${round} of ${rounds}`);
      const found: Recording['rounds'][number]['variants'] = {};
      for (const name of dueIn(round)) {
        for (const scenario of scenarioNames) {
          const further = variants[name][scenario];
          if (further === undefined) continue;
          const pair = await measure(scenario, round, further);
          if (pair === null) return round - 1;
          (found[name] ??= []).push(pair);
        }
      }
      recording.rounds.push({ round, variants: found });
      hooks.onRound(recording);
    }
    return rounds;
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

/** Null: interrupted. */
type Measure = (scenario: ScenarioName, round: number, further: string) => Promise<TimedPair | null>;

/** What is compared with the code itself in a round: itself in every one, known regressions in turn. */
function dueIn(round: number): readonly VariantName[] {
  const regressions = variantNames.filter((name) => name !== 'same');
  return ['same', ...regressions.filter((_name, index) => index % 2 === round % 2)];
}

function burnFlags(forMs: number): string {
  return `--pattern burn+${checkDefaults.pattern} --set burn.forMs=${forMs.toFixed(4)}`;
}

/** How long an order has to be burned for the p50 to grow by 10 %. Null: interrupted. */
async function pilot(
  measure: Measure,
  onProgress: (text: string) => void,
): Promise<{ readonly msFor10: number } | null> {
  let plainMs = 0;
  let burnedMs = 0;
  for (let round = 1; round <= pilotRounds; round++) {
    onProgress(`pilot ${round} of ${pilotRounds}: what burning ${pilotBurnMs} ms does to the p50`);
    const measured = await measure('healthy', round, burnFlags(pilotBurnMs));
    if (measured === null) return null;
    const { discarded, a, b } = measured.pair;
    if (discarded !== null) continue;
    plainMs += a?.responseP50 ?? 0;
    burnedMs += b.responseP50 ?? 0;
  }
  const growth = burnedMs / plainMs - 1;
  if (growth > 0.02) return { msFor10: (0.1 / growth) * pilotBurnMs };
  throw new MachineError(
    `burning ${pilotBurnMs} ms per order does not show in the p50 (${plainMs.toFixed(2)} and ${burnedMs.toFixed(2)} ms): the host is too noisy to record on`,
  );
}
