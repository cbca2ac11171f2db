/** Result sides: two earlier runs. */
import { UsageError } from '../../patterns/usage-error.ts';
import type { Result, StackResult } from '../result.ts';
import { readResult } from '../run-store.ts';
import type { CheckOptions } from './check-options.ts';
import { comparableResults, scenarioOfResult } from './comparable.ts';
import { roundsMin } from './evidence.ts';
import type { Sides } from './sides.ts';

export function openResults(runA: string, runB: string, options: CheckOptions): Sides {
  const [a, b] = [readResult(runA), readResult(runB)];
  comparableResults(
    { name: runA, host: a.host, options: a.options },
    { name: runB, host: b.host, options: b.options },
  );
  const stackB = onlyStack(b, runB, options.patternGiven);
  const trials = { a: onlyStack(a, runA, options.patternGiven).trials, b: stackB.trials };
  enoughRounds(runA, trials.a.length);
  enoughRounds(runB, trials.b.length);
  return {
    a: { label: runA, commit: a.host.commit },
    b: { label: runB, commit: b.host.commit },
    aMeasuredEarlier: true,
    pattern: stackB.name,
    flagsOf: () => (b.arguments ?? []).join(' '),
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
export function onlyStack(result: Result, run: string, pattern: string | undefined): StackResult {
  const [first, ...others] = result.stacks;
  const named = result.stacks.find((stack) => stack.name === pattern);
  if (named !== undefined) return named;
  if (first !== undefined && others.length === 0 && pattern === undefined) return first;
  throw new UsageError(
    pattern === undefined
      ? `${run} has the stacks ${stacksText(result)}; allowed: one stack, or --pattern to name one of them`
      : `${run} has no stack ${JSON.stringify(pattern)}; allowed: ${stacksText(result)}`,
  );
}

export function enoughRounds(run: string, trials: number): void {
  if (trials >= roundsMin) return;
  throw new UsageError(
    `${run} has ${trials} ${trials === 1 ? 'trial' : 'trials'}; allowed: at least ${roundsMin} (measure it with --trials 8)`,
  );
}

function stacksText({ stacks }: Result): string {
  return stacks.map((stack) => stack.name).join(', ');
}
