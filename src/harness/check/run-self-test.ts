/** Run self-test: records trials where that is asked for, and says how often checks made out of them are wrong. */
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../patterns/random.ts';
import { fixedText } from '../number-text.ts';
import { plainTable } from '../plain-table.ts';
import type { SelfTestOptions } from './check-options.ts';
import { recordTrials } from './record-trials.ts';
import {
  readRecording,
  type Recording,
  type VariantName,
  variantNames,
  writeRecording,
} from './recording.ts';
import { testVariant, type VariantReport } from './self-test.ts';

/** Recorded on the machine that the figures in docs/ci.md are of. */
const ownRecording = fileURLToPath(new URL('../../../runs/self-test.json', import.meta.url));

/** Checks that are made out of the recording for each variant. */
const checksPerVariant = 2000;

const meanings: Readonly<Record<VariantName, string>> = {
  same: 'identical code',
  slower10: 'order response p50 10 % slower',
  slower5: 'order response p50 5 % slower',
  noBreaker: 'no breaker',
  noJitter: 'retries without jitter',
  retriesAll: 'retries without a key',
  leakier: 'a leak half as large again',
};

/**
 * What to print; empty: it was interrupted before anything was recorded.
 *
 * @throws {UsageError} If there is no recording.
 */
export async function runSelfTest(
  options: SelfTestOptions,
  stderr: Pick<NodeJS.WriteStream, 'write'>,
  interrupt: AbortSignal,
): Promise<string> {
  const file = options.recording ?? ownRecording;
  if (options.recordRounds !== undefined) {
    const recorded = await recordTrials(options.recordRounds, options.seed, {
      interrupt,
      onProgress: (text) => stderr.write(`${text}\n`),
      onRound: (recording) => {
        writeRecording(file, recording);
      },
    });
    if (recorded === 0) return '';
  }
  const recording = readRecording(file);
  const plan = {
    checks: checksPerVariant,
    alpha: options.alpha,
    budgetMs: options.budgetMs,
    random: seededRandom(options.seed),
  };
  const reports = variantNames.flatMap((variant) => testVariant(recording, variant, plan) ?? []);
  return options.json ? JSON.stringify(summaryOf(recording, reports)) : textOf(recording, reports, options);
}

/** `falseAlarmRate` and `detectionRate` with their counts and 95 % intervals; the latter is of 10 % slower code. */
function summaryOf(recording: Recording, reports: readonly VariantReport[]) {
  const of = (variant: VariantName) => reports.find((report) => report.variant === variant)?.worse ?? null;
  return {
    falseAlarmRate: of('same'),
    detectionRate: of('slower10'),
    variants: reports,
    recording: { startedAt: recording.startedAt, rounds: recording.rounds.length, host: recording.host },
  };
}

function textOf(
  recording: Recording,
  reports: readonly VariantReport[],
  { budgetMs }: SelfTestOptions,
): string {
  const percent = (share: number) => `${fixedText(share * 100, 1)} %`;
  const rows = reports.map(({ variant, worse, inconclusive, passed, roundsMedian, effects }) => {
    const p50 = effects.find(({ key }) => key === 'responseP50');
    return [
      meanings[variant],
      p50 === undefined ? '-' : percent(p50.value - 1),
      `${percent(worse.rate)} [${percent(worse.low)} to ${percent(worse.high)}]`,
      percent(inconclusive.rate),
      percent(passed.rate),
      String(roundsMedian),
    ];
  });
  const table = plainTable({
    head: ['B is', 'its p50', 'called worse', 'inconclusive', 'passed', 'rounds'],
    alignments: ['left', 'right', 'right', 'right', 'right', 'right'],
    rows,
    gap: 2,
  });
  const pairs = recording.rounds.reduce((sum, { variants }) => sum + (variants.same?.length ?? 0), 0);
  return [
    table,
    '',
    `${checksPerVariant} checks for each line, drawn from ${recording.rounds.length} recorded rounds (${pairs * 2} trials of identical code)`,
    `of ${recording.startedAt.slice(0, 10)}, ${recording.host.cores} cores of ${recording.host.cpu}, Node ${recording.host.node};`,
    `a check may take ${Math.round(budgetMs / 1000)} s.`,
  ].join('\n');
}
