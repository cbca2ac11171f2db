/** Baseline sides: an earlier run of this machine, and the working tree, measured now with the same flags. */
import { deriveSeed } from '../../patterns/random.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import { readResult } from '../run-store.ts';
import type { CheckOptions } from './check-options.ts';
import { comparableResults, scenarioOfResult } from './comparable.ts';
import { sideOf, workingTree } from './measured-sides.ts';
import { enoughRounds, onlyStack } from './result-sides.ts';
import { runCommandIn } from './run-command.ts';
import { measureSide } from './side-run.ts';
import type { Sides } from './sides.ts';

/** @throws {UsageError} If the run is another machine's, has too few trials, or does not say how it was called. */
export function openBaseline(run: string, options: CheckOptions, scratchDir: string): Sides {
  const baseline = readResult(run);
  const stack = onlyStack(baseline, run, options.patternGiven);
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
  const only = baseline.stacks.length === 1 ? [] : ['--pattern', stack.name];
  const flags = [...repeatedFlags(baseline.arguments), ...only, '--trials', '1'];
  return {
    a: { label: run, commit: baseline.host.commit },
    b: sideOf(code),
    aMeasuredEarlier: true,
    pattern: stack.name,
    flagsOf: () => flags.join(' '),
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
