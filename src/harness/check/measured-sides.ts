/** Measured sides: one or two versions of the code, or one with and without further flags, measured now. */
import { deriveSeed } from '../../patterns/random.ts';
import { searchCapacity } from './capacity.ts';
import { scenarioNames } from './check-metrics.ts';
import type { CheckOptions } from './check-options.ts';
import type { Side } from './check-record.ts';
import { patternFlags } from './flag-words.ts';
import { runCommandIn } from './run-command.ts';
import { measureSide, type SideTrial } from './side-run.ts';
import type { Sides } from './sides.ts';
import { commitOf } from './worktree.ts';

/** Code that can be measured. */
export interface Code extends Side {
  readonly dir: string;
  /** Flags of `run` that this side has and the other one has not. */
  readonly flags: readonly string[];
}

/** The code in the folder in which the check is called. */
export function workingTree(): Code {
  const dir = process.cwd();
  const at = commitOf(dir);
  return {
    label: 'working tree',
    commit: at && `${at.commit.slice(0, 12)}${at.dirty ? '-dirty' : ''}`,
    dir,
    flags: [],
  };
}

/** Both sides are measured now. */
export function measuredSides(
  options: Pick<CheckOptions, 'pattern' | 'scenarios' | 'seed' | 'set'>,
  scratchDir: string,
  { a, b }: { readonly a: Code | null; readonly b: Code },
): Sides {
  const codes = { a, b };
  const commands = { a: a && runCommandIn(a.dir, a.label), b: runCommandIn(b.dir, b.label) };
  return {
    a: a && sideOf(a),
    b: sideOf(b),
    aMeasuredEarlier: false,
    pattern: options.pattern,
    flagsOf: (scenario) => options.scenarios[scenario].join(' '),
    scenarios: scenarioNames,
    roundsMax: Infinity,
    warnings: [],
    async measure(name, scenario, round, interrupt, together) {
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
        return (await measureSide({ ...run, flags }, interrupt, together))?.trial ?? null;
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

export function sideOf({ label, commit }: Side): Side {
  return { label, commit };
}
