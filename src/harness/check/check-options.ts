/** Check options: the command line of `check` and the project's config, turned into what a check needs. */
import { Command, Option } from 'commander';
import { UsageError } from '../../patterns/usage-error.ts';
import { parseArguments, parser } from '../command-line.ts';
import { version } from '../host.ts';
import { parseRunOptions } from '../run-options.ts';
import { parseDurationMs, parseNumber } from '../units.ts';
import type { CheckConfig } from './check-config.ts';
import { type CheckFormat, checkFormatNames } from './check-formats.ts';
import {
  type CheckMetricKey,
  checkMetric,
  checkMetricKeys,
  onRequest,
  type ScenarioName,
  scenarioNames,
} from './check-metrics.ts';
import { historyFileDefault } from './history.ts';
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

/** Flags of `run` for each scenario. Short trials, because their number counts; healthy and lossy ones at half the rate, because both sides run at once. */
export const scenarioDefaults: Readonly<Record<ScenarioName, string>> = {
  healthy: '--target healthy --rate 300 --warmup 2s --duration 3s',
  saturated: '--target healthy --sla 200ms --warmup 1s --duration 1500ms',
  lossy: '--target charge-then-die --rate 300 --warmup 500ms --duration 1500ms --set timeout.limitMs=1s',
  failing: '--target leaky --restart-delay 500ms --warmup 1s --duration 5s --set timeout.limitMs=1s',
};

export const checkDefaults = {
  pattern: 'retry+breaker',
  budgetMs: 240_000,
  alpha: 0.05,
  history: historyFileDefault,
} as const;

interface Flags {
  against?: string;
  with?: string;
  baseline?: string;
  pattern?: string;
  set: string[];
  only?: CheckMetricKey[];
  effect: [CheckMetricKey, number][];
  limit: Limit[];
  budget?: number;
  alpha?: number;
  seed: number;
  config?: string;
  strict?: boolean;
  quiet?: boolean;
  out: string;
  history?: string;
  format: CheckFormat;
  selfTest?: boolean;
  recording?: string;
  record?: number;
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
  const command = describeCommand();
  const text = parseArguments(command, argv);
  if (text !== null) return { kind: 'print', text };
  const flags = command.opts<Flags>();
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

function comparisonOf(flags: Flags, results: readonly string[]): Comparison | undefined {
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

function complete(flags: Flags, given: Comparison | undefined, config: CheckConfig): CheckOptions {
  const limits = [...(config.limits ?? []).map(parseLimit), ...flags.limit];
  if (given === undefined && limits.length === 0) {
    throw new UsageError(
      'nothing to check against; give --against REF, --with FLAGS, --baseline RUN, two results, or --limit',
    );
  }
  const comparison = given ?? { kind: 'limits' };
  const options: CheckOptions = {
    comparison,
    pattern: flags.pattern ?? config.pattern ?? checkDefaults.pattern,
    set: [...(config.set ?? []), ...flags.set],
    scenarios: {
      healthy: words(config.scenarios?.healthy ?? scenarioDefaults.healthy),
      saturated: words(config.scenarios?.saturated ?? scenarioDefaults.saturated),
      lossy: words(config.scenarios?.lossy ?? scenarioDefaults.lossy),
      failing: words(config.scenarios?.failing ?? scenarioDefaults.failing),
    },
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

/** A mistake in them should be found before anything is checked out. */
function checkRunFlags({ comparison, scenarios, pattern, set }: CheckOptions): void {
  for (const name of scenarioNames) {
    const flags = [...scenarios[name], ...patternFlags(pattern, set)];
    const further = comparison.kind === 'with' ? comparison.flags : [];
    for (const argv of [flags, [...flags, ...further]]) {
      const request = parseRunOptions(argv);
      if (request.kind === 'print')
        throw new UsageError(`the flags of the ${name} scenario ask for a text, not for a run`);
      const { stacks, trials } = request.options;
      if (stacks.length !== 1 || trials !== 1) {
        throw new UsageError(
          `a check measures one stack at a time, in trials of its own; ${name} asks for ${stacks.length} stacks and ${trials} trials`,
        );
      }
    }
  }
}

export function patternFlags(pattern: string, set: readonly string[]): string[] {
  return ['--pattern', pattern, ...set.flatMap((setting) => ['--set', setting])];
}

function effectsOf(flags: Flags, config: CheckConfig): Map<CheckMetricKey, number> {
  const given = new Map<CheckMetricKey, number>();
  const left = new Set<CheckMetricKey>();
  for (const key of checkMetricKeys) {
    const effect = config.metrics?.[key];
    if (effect === false) left.add(key);
    else if (effect !== undefined) given.set(key, parseEffect(key, String(effect)));
  }
  for (const [key, effect] of flags.effect) given.set(key, effect);
  const compared =
    flags.only ?? checkMetricKeys.filter((key) => (given.has(key) || !onRequest.has(key)) && !left.has(key));
  return new Map(compared.map((key) => [key, given.get(key) ?? checkMetric(key).smallestEffect]));
}

function describeCommand(): Command {
  const option = (flags: string, text: string) => new Option(flags, text);
  return new Command('wavetank check')
    .description('Decides whether a change made the behaviour of a service under failure worse.')
    .version(version)
    .argument('[results...]', 'two earlier runs to compare, A and B')
    .addOption(
      option('--against <ref>', 'compare this version of the code (a git ref) with the working tree'),
    )
    .addOption(option('--with <flags>', 'compare the working tree without and with these flags of run'))
    .addOption(
      option(
        '--baseline <run>',
        'compare an earlier run of this machine with the working tree; weaker than --against',
      ),
    )
    .addOption(option('--pattern <stack>', `the stack (default: ${checkDefaults.pattern})`))
    .addOption(
      option('--set <layer.option=value>', 'an option of a layer; can be given more than once')
        .argParser((value: string, before: string[]) => [...before, value])
        .default([], ''),
    )
    .addOption(
      option('--limit <figure<=value>', 'a bound on any figure of a trial; can be given more than once')
        .argParser(repeated(parseLimit))
        .default([], ''),
    )
    .addOption(
      option('--only <list>', `metrics, separated by commas: ${checkMetricKeys.join(', ')}`).argParser(
        parser((text) => [...new Set(text.split(',').map((key) => parseMetric(key.trim())))]),
      ),
    )
    .addOption(
      option(
        '--effect <metric=size>',
        'the smallest change of a metric that matters, as responseP50=5%; can be given more than once',
      )
        .argParser(repeated(parseMetricEffect))
        .default([], ''),
    )
    .addOption(
      option('--budget <time>', 'how long to go on measuring (default: 4m)').argParser(parser(parseBudgetMs)),
    )
    .addOption(
      option(
        '--alpha <share>',
        `accepted probability of any wrong claim (default: ${checkDefaults.alpha})`,
      ).argParser(parser((text) => parseNumber(text, { min: 0.0001, max: 0.5 }, true))),
    )
    .addOption(option('--format <name>', 'what is printed').choices(checkFormatNames).default('text'))
    .addOption(option('--strict', 'exit with 3 where nothing is worse but something is undecided'))
    .addOption(
      option('--config <file>', 'settings of the project (default: wavetank.config.ts, .mjs or .js)'),
    )
    .addOption(option('--history <file>', `file that gets a line (default: ${checkDefaults.history})`))
    .addOption(option('--out <folder>', 'folder for the results').default('runs'))
    .addOption(
      option('--seed <number>', 'seed of arrivals and jitter')
        .argParser(parser((text) => parseNumber(text, { min: 0, max: 2 ** 32 - 1 })))
        .default(1),
    )
    .addOption(option('--quiet', 'no progress'))
    .addOption(option('--self-test', 'measure how often the check itself is wrong, from recorded trials'))
    .addOption(option('--recording <file>', "recorded trials for --self-test (default: the package's)"))
    .addOption(
      option('--record <rounds>', 'record the trials anew first, and write them to --recording').argParser(
        parser((text) => parseNumber(text, { min: 3, max: 1000 })),
      ),
    );
}

function parseMetric(text: string): CheckMetricKey {
  const key = checkMetricKeys.find((known) => known === text);
  if (key !== undefined) return key;
  throw new UsageError(`there is no metric ${JSON.stringify(text)}; allowed: ${checkMetricKeys.join(', ')}`);
}

function parseMetricEffect(text: string): [CheckMetricKey, number] {
  const [name = '', size = ''] = text.split('=');
  const key = parseMetric(name.trim());
  return [key, parseEffect(key, size.trim())];
}

/** `5%` or `0.05` of a ratio; in the metric's unit for a difference. */
function parseEffect(key: CheckMetricKey, text: string): number {
  const { scale, unit } = checkMetric(key);
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  const isShare = scale === 'ratio' && percent === '%';
  if (digits === undefined || value === 0 || (percent === '%' && scale === 'difference' && unit !== '%')) {
    const allowed =
      scale === 'ratio'
        ? 'a share such as 5% or 0.05'
        : `a number of ${unit || 'the metric itself'}, such as 5`;
    throw new UsageError(`the effect of ${key} is ${JSON.stringify(text)}; allowed: ${allowed}, above 0`);
  }
  return isShare ? value / 100 : value;
}

function parseBudgetMs(text: string): number {
  return parseDurationMs(text, { min: 10_000, max: 4 * 3_600_000 });
}

function repeated<T>(parse: (text: string) => T) {
  return parser<readonly T[]>((text, before = []) => [...before, parse(text)]);
}

/** Splits flags at spaces, as a shell does; quotes hold a word together. */
export function words(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
