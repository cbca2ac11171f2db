/** Sides: what a check compares, opened from whatever it was told to compare, and how to get a trial of each. */
import { deriveSeed } from '../../patterns/random.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import type { Result, StackResult, Trial } from '../result.ts';
import { readResult } from '../run-store.ts';
import { comparableResults, scenarioOfResult } from './comparable.ts';
import { type ScenarioName, scenarioNames } from './check-metrics.ts';
import { type CheckOptions, patternFlags } from './check-options.ts';
import type { Side } from './check-record.ts';
import { roundsMin } from './evidence.ts';
import { searchCapacity } from './capacity.ts';
import { runCommandIn } from './run-command.ts';
import { measureSide, type SideTrial } from './side-run.ts';
import { checkOut, commitOf } from './worktree.ts';

export type SideName = 'a' | 'b';

export interface Sides {
  /** The baseline; null: there is none. */
  readonly a: Side | null;
  /** What is judged. */
  readonly b: Side;
  readonly aMeasuredEarlier: boolean;
  /** What there are trials of. */
  readonly scenarios: readonly ScenarioName[];
  /** As many rounds as there are trials. */
  readonly roundsMax: number;
  /** For the reader of the verdict. */
  readonly warnings: readonly string[];
  /** The trial of a side in a round, from 1. Null: interrupted. */
  measure(
    side: SideName,
    scenario: ScenarioName,
    round: number,
    interrupt: AbortSignal,
  ): Promise<Trial | null>;
  close(): void;
}

/**
 * @param onWait Hears what takes long.
 * @throws {UsageError} If there is nothing to compare, or the sides are not comparable.
 */
export async function openSides(
  options: CheckOptions,
  scratchDir: string,
  onWait: (what: string) => void,
): Promise<Sides> {
  const { comparison } = options;
  switch (comparison.kind) {
    case 'ref':
      return openRef(comparison.ref, options, scratchDir, onWait);
    case 'with':
      return measuredSides(options, scratchDir, {
        a: { ...workingTree(), label: 'without' },
        b: { ...workingTree(), label: `with ${comparison.flags.join(' ')}`, flags: comparison.flags },
      });
    case 'limits':
      return measuredSides(options, scratchDir, { a: null, b: workingTree() });
    case 'baseline':
      return openBaseline(comparison.run, options, scratchDir);
    case 'results':
      return openResults(comparison.a, comparison.b, options);
  }
}

/** Code that can be measured. */
interface Code extends Side {
  readonly dir: string;
  /** Flags of `run` that this side has and the other one has not. */
  readonly flags: readonly string[];
}

function workingTree(): Code {
  const dir = process.cwd();
  const at = commitOf(dir);
  return {
    label: 'working tree',
    commit: at && `${at.commit.slice(0, 12)}${at.dirty ? '-dirty' : ''}`,
    dir,
    flags: [],
  };
}

async function openRef(
  ref: string,
  options: CheckOptions,
  scratchDir: string,
  onWait: (what: string) => void,
): Promise<Sides> {
  const b = workingTree();
  // Before anything is checked out: this side has to be there in any case.
  runCommandIn(b.dir, b.label);
  const worktree = await checkOut(ref, b.dir, onWait);
  try {
    const commit = worktree.commit.slice(0, 12);
    const sides = measuredSides(options, scratchDir, {
      a: { label: ref, commit, dir: worktree.dir, flags: [] },
      b,
    });
    const same = b.commit === commit;
    const dirty = b.commit?.endsWith('-dirty') === true;
    return {
      ...sides,
      warnings: [
        ...(same ? [`both sides are ${commit}: whatever differs is noise`] : []),
        ...(dirty
          ? ['the working tree has changes that are not committed; they are part of what is judged']
          : []),
      ],
      close() {
        worktree.remove();
      },
    };
  } catch (error) {
    worktree.remove();
    throw error;
  }
}

/** Both sides are measured now. */
function measuredSides(
  options: CheckOptions,
  scratchDir: string,
  { a, b }: { readonly a: Code | null; readonly b: Code },
): Sides {
  const codes = { a, b };
  const commands = { a: a && runCommandIn(a.dir, a.label), b: runCommandIn(b.dir, b.label) };
  return {
    a: a && sideOf(a),
    b: sideOf(b),
    aMeasuredEarlier: false,
    scenarios: scenarioNames,
    roundsMax: Infinity,
    warnings: [],
    async measure(name, scenario, round, interrupt) {
      const code = codes[name];
      const command = commands[name];
      if (code === null || command === null) throw new Error('a side that is not there cannot be measured');
      const flags = [
        ...options.scenarios[scenario],
        ...patternFlags(options.pattern, options.set),
        ...code.flags,
        // Both sides of a round meet the same arrivals.
        '--seed',
        String(deriveSeed(options.seed, `round ${round}`)),
      ];
      const run = { ...code, command, scratchDir };
      if (scenario !== 'saturated') {
        return (await measureSide({ ...run, flags }, interrupt))?.trial ?? null;
      }
      const found = await searchCapacity(async (ratePerS) => {
        const rate = ['--rate', String(ratePerS)];
        const measured = await measureSide({ ...run, flags: [...flags, ...rate] }, interrupt);
        return measured && { ...measured, kept: keepsUp(measured) };
      });
      return found?.trial ?? null;
    },
    close: () => undefined,
  };
}

/** Whether everything was sent, and answered within the SLA but for one in a hundred. */
function keepsUp({ trial: { orders, bystander, users }, slaMs }: SideTrial): boolean {
  const skipped = orders.skipped + bystander.skipped + (users?.skipped ?? 0);
  return skipped === 0 && (orders.responseUs.p99 ?? Infinity) <= slaMs * 1000;
}

/** An earlier run is A; B is measured now with the same flags. */
function openBaseline(run: string, options: CheckOptions, scratchDir: string): Sides {
  const baseline = readResult(run);
  const stack = onlyStack(baseline, run, undefined);
  const scenario = scenarioOfResult(baseline);
  const code = workingTree();
  const command = runCommandIn(code.dir, code.label);
  if (baseline.arguments === null) {
    throw new UsageError(
      `--baseline ${run}: it does not say how it was called, because an older version made it; run it again`,
    );
  }
  comparableResults(
    { name: `--baseline ${run}`, host: baseline.host, options: null },
    { name: 'this machine', host: describeHost(), options: null },
  );
  enoughRounds(run, stack.trials.length);
  const flags = [...repeatedFlags(baseline.arguments), '--trials', '1'];
  return {
    a: { label: run, commit: baseline.host.commit },
    b: sideOf(code),
    aMeasuredEarlier: true,
    scenarios: [scenario],
    roundsMax: stack.trials.length,
    warnings: [
      'the baseline was measured earlier: whatever the machine did then and now is taken for the code; --against is stronger',
    ],
    async measure(name, _scenario, round, interrupt) {
      if (name === 'a') return stack.trials[round - 1] ?? null;
      const seed = ['--seed', String(deriveSeed(options.seed, `round ${round}`))];
      const measured = await measureSide(
        { ...code, command, flags: [...flags, ...seed], scratchDir },
        interrupt,
      );
      return measured?.trial ?? null;
    },
    close: () => undefined,
  };
}

function openResults(runA: string, runB: string, { pattern }: CheckOptions): Sides {
  const [a, b] = [readResult(runA), readResult(runB)];
  comparableResults(
    { name: runA, host: a.host, options: a.options },
    { name: runB, host: b.host, options: b.options },
  );
  const trials = { a: onlyStack(a, runA, pattern).trials, b: onlyStack(b, runB, pattern).trials };
  enoughRounds(runA, trials.a.length);
  enoughRounds(runB, trials.b.length);
  return {
    a: { label: runA, commit: a.host.commit },
    b: { label: runB, commit: b.host.commit },
    aMeasuredEarlier: true,
    scenarios: [scenarioOfResult(a)],
    roundsMax: Math.min(trials.a.length, trials.b.length),
    warnings: [
      'the two runs were measured one after the other: whatever the machine did then is taken for the code; --against is stronger',
    ],
    measure: (name, _scenario, round) => Promise.resolve(trials[name][round - 1] ?? null),
    close: () => undefined,
  };
}

/** The stack of a run with one; of one with several, that which is asked for. */
function onlyStack(result: Result, run: string, pattern: string | undefined): StackResult {
  const [first, ...others] = result.stacks;
  const named = result.stacks.find((stack) => stack.name === pattern);
  if (first !== undefined && others.length === 0) return first;
  if (named !== undefined) return named;
  throw new UsageError(
    `${run} has the stacks ${result.stacks.map((stack) => stack.name).join(', ')}; allowed: one stack${pattern === undefined ? '' : ', or --pattern to name one'}`,
  );
}

function enoughRounds(run: string, trials: number): void {
  if (trials >= roundsMin) return;
  throw new UsageError(
    `${run} has ${trials} ${trials === 1 ? 'trial' : 'trials'}; allowed: at least ${roundsMin} (measure it with --trials 8)`,
  );
}

/** Of the arguments of a run those that say what is measured. */
function repeatedFlags(argv: readonly string[]): string[] {
  const withValue = new Set(['--trials', '--out', '--seed']);
  const alone = new Set(['--json', '--quiet', '--orders', '--no-report']);
  const kept: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    const [name = ''] = argument.split('=', 1);
    if (alone.has(name)) continue;
    if (!withValue.has(name)) kept.push(argument);
    else if (name === argument) index++;
  }
  return kept;
}

function sideOf({ label, commit }: Side): Side {
  return { label, commit };
}
