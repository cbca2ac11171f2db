/** Check options: the flags of `check` and the project's config, turned into what a check needs. */
import { UsageError } from '../../patterns/usage-error.ts';
import { parseArguments } from '../command-line.ts';
import { parseRunOptions } from '../run-options.ts';
import type { CheckConfig } from './check-config.ts';
import { checkDefaults, scenarioDefaults, trialMaxMs } from './check-defaults.ts';
import { type CheckFlags, describeCheckCommand, parseBudgetMs, parseEffect } from './check-flags.ts';
import type { CheckFormat } from './check-formats.ts';
import {
  type CheckMetricKey,
  checkMetric,
  checkMetricKeys,
  onRequest,
  type ScenarioName,
  scenarioNames,
} from './check-metrics.ts';
import { patternFlags, words } from './flag-words.ts';
import { type Limit, parseLimit } from './limit.ts';

/** What is compared with what. */
export type Comparison =
  /** Another version of the code against the working tree. */
  | { readonly kind: 'ref'; readonly ref: string }
  /** The working tree without and with further flags of `run`. */
  | { readonly kind: 'with'; readonly flags: readonly string[] }
  /** An earlier run of this machine against the working tree. */
  | { readonly kind: 'baseline'; readonly run: string }
  /** Two earlier runs. */
  | { readonly kind: 'results'; readonly a: string; readonly b: string }
  /** Nothing: only limits are checked. */
  | { readonly kind: 'limits' };

export interface CheckOptions {
  readonly comparison: Comparison;
  /** The stack that is measured; of earlier runs with several stacks, the one that is compared. */
  readonly pattern: string;
  /** As it was given with the flag; undefined: not at all. */
  readonly patternGiven: string | undefined;
  readonly set: readonly string[];
  /** Flags of `run` for each scenario. */
  readonly scenarios: Readonly<Record<ScenarioName, readonly string[]>>;
  /** The metrics that are compared, each with the smallest effect that matters. */
  readonly effects: ReadonlyMap<CheckMetricKey, number>;
  readonly limits: readonly Limit[];
  readonly budgetMs: number;
  readonly alpha: number;
  readonly seed: number;
  readonly format: CheckFormat;
  readonly strict: boolean;
  readonly quiet: boolean;
  readonly out: string;
  /** File that each check adds a line to. */
  readonly history: string;
}

export type CheckRequest =
  | { readonly kind: 'print'; readonly text: string }
  | {
      readonly kind: 'check';
      /** The config that is named; undefined: that of the project, if there is one. */
      readonly config: string | undefined;
      /** @throws {UsageError} If the config and the flags do not fit together. */
      readonly complete: (config: CheckConfig) => CheckOptions;
    }
  | {
      readonly kind: 'self-test';
      readonly options: SelfTestOptions;
    };

export interface SelfTestOptions {
  /** Whether the figures are printed as JSON. */
  readonly json: boolean;
  /** File of recorded trials; undefined: that of the package. */
  readonly recording: string | undefined;
  /** How many rounds to record first; undefined: none. */
  readonly recordRounds: number | undefined;
  readonly alpha: number;
  /** Of the checks that are made out of the recording. */
  readonly budgetMs: number;
  readonly seed: number;
}

/**
 * Parses the arguments behind `check`.
 *
 * @throws {UsageError} One line, for anything that is not allowed.
 */
export function parseCheckOptions(argv: readonly string[]): CheckRequest {
  const command = describeCheckCommand();
  const text = parseArguments(command, argv);
  if (text !== null) return { kind: 'print', text };
  const flags = command.opts<CheckFlags>();
  if (flags.selfTest === true) {
    return {
      kind: 'self-test',
      options: {
        json: flags.format === 'json',
        recording: flags.recording,
        recordRounds: flags.record,
        alpha: flags.alpha ?? checkDefaults.alpha,
        budgetMs: flags.budget ?? checkDefaults.budgetMs,
        seed: flags.seed,
      },
    };
  }
  if (flags.recording !== undefined || flags.record !== undefined) {
    throw new UsageError('--recording and --record belong to --self-test');
  }
  const comparison = comparisonOf(flags, command.args);
  return { kind: 'check', config: flags.config, complete: (config) => complete(flags, comparison, config) };
}

function comparisonOf(flags: CheckFlags, results: readonly string[]): Comparison | undefined {
  const ways = [
    ...(flags.against === undefined ? [] : [{ kind: 'ref', ref: flags.against } as const]),
    ...(flags.with === undefined ? [] : [{ kind: 'with', flags: words(flags.with) } as const]),
    ...(flags.baseline === undefined ? [] : [{ kind: 'baseline', run: flags.baseline } as const]),
  ];
  const [a, b] = results;
  if (a !== undefined) {
    if (b === undefined || results.length > 2) {
      throw new UsageError(`${results.length} results to compare; allowed: two, as in check runs/A runs/B`);
    }
    return only([...ways, { kind: 'results', a, b }]);
  }
  return only(ways);
}

function only(ways: readonly Comparison[]): Comparison | undefined {
  if (ways.length > 1) {
    throw new UsageError(
      'more than one thing to compare with; allowed: one of --against, --with, --baseline, or two results',
    );
  }
  return ways[0];
}

function complete(flags: CheckFlags, given: Comparison | undefined, config: CheckConfig): CheckOptions {
  const limits = [...(config.limits ?? []).map(parseLimit), ...flags.limit];
  if (given === undefined && limits.length === 0) {
    throw new UsageError(
      'nothing to check against; give --against REF, --with FLAGS, --baseline RUN, two results, or --limit',
    );
  }
  const comparison = given ?? { kind: 'limits' };
  if ((comparison.kind === 'baseline' || comparison.kind === 'results') && flags.set.length > 0) {
    throw new UsageError('--set belongs to what is measured now; earlier runs keep to their own settings');
  }
  const options: CheckOptions = {
    comparison,
    patternGiven: flags.pattern,
    pattern: flags.pattern ?? config.pattern ?? checkDefaults.pattern,
    set: [...(config.set ?? []), ...flags.set],
    scenarios: scenarioFlags(config.scenarios),
    effects: comparison.kind === 'limits' ? new Map() : effectsOf(flags, config),
    limits,
    budgetMs:
      flags.budget ?? (config.budget === undefined ? checkDefaults.budgetMs : parseBudgetMs(config.budget)),
    alpha: flags.alpha ?? config.alpha ?? checkDefaults.alpha,
    seed: flags.seed,
    format: flags.format,
    strict: flags.strict === true,
    quiet: flags.quiet === true,
    out: flags.out,
    history: flags.history ?? checkDefaults.history,
  };
  checkRunFlags(options);
  return options;
}

/** Flags of `run` for each scenario, where they are not the defaults. */
export function scenarioFlags(given: CheckConfig['scenarios'] = {}): CheckOptions['scenarios'] {
  const flagsOf = (name: ScenarioName) => words(given[name] ?? scenarioDefaults[name]);
  return {
    healthy: flagsOf('healthy'),
    saturated: flagsOf('saturated'),
    failing: flagsOf('failing'),
    leaking: flagsOf('leaking'),
  };
}

/** A mistake in them should be found before anything is checked out. */
function checkRunFlags({ comparison, scenarios, pattern, set }: CheckOptions): void {
  for (const name of scenarioNames) {
    const flags = [...scenarios[name], ...patternFlags(pattern, set)];
    const further = comparison.kind === 'with' ? comparison.flags : [];
    for (const argv of [flags, [...flags, ...further]]) {
      const request = parseRunOptions(argv);
      if (request.kind === 'print')
        throw new UsageError(`the flags of the ${name} scenario ask for a text, not for a run`);
      const { stacks, trials, warmupMs, durationMs } = request.options;
      if (warmupMs + durationMs > trialMaxMs) {
        throw new UsageError(
          `a trial of the ${name} scenario takes ${(warmupMs + durationMs) / 1000} s; allowed: up to ${trialMaxMs / 1000} s`,
        );
      }
      if (stacks.length !== 1 || trials !== 1) {
        throw new UsageError(
          `a check measures one stack at a time, in trials of its own; ${name} asks for ${stacks.length} stacks and ${trials} trials`,
        );
      }
    }
  }
}

function effectsOf(flags: CheckFlags, config: CheckConfig): Map<CheckMetricKey, number> {
  const given = new Map<CheckMetricKey, number>();
  const excluded = new Set<CheckMetricKey>();
  for (const key of checkMetricKeys) {
    const effect = config.metrics?.[key];
    if (effect === false) excluded.add(key);
    else if (effect !== undefined) given.set(key, parseEffect(key, String(effect)));
  }
  for (const [key, effect] of flags.effect) {
    given.set(key, effect);
    excluded.delete(key);
  }
  const compared =
    flags.only ??
    checkMetricKeys.filter((key) => (given.has(key) || !onRequest.has(key)) && !excluded.has(key));
  return new Map(compared.map((key) => [key, given.get(key) ?? checkMetric(key).smallestEffect]));
}
