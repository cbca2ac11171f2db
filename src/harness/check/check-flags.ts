/** Check flags: the command line of `check` as commander has it, and how each value is read. */
import { Command, Option } from 'commander';
import { UsageError } from '../../patterns/usage-error.ts';
import { parser } from '../command-line.ts';
import { version } from '../host.ts';
import { parseDurationMs, parseNumber } from '../units.ts';
import { checkDefaults } from './check-defaults.ts';
import { type CheckFormat, checkFormatNames } from './check-formats.ts';
import { type CheckMetricKey, checkMetric, checkMetricKeys } from './check-metrics.ts';
import { type Limit, parseLimit } from './limit.ts';

/** What `--alpha` may be. */
export const alphaRange = { min: 0.0001, max: 0.5 } as const;

/** As they were given; undefined: not at all. */
export interface CheckFlags {
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

export function describeCheckCommand(): Command {
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
      ).argParser(parser((text) => parseNumber(text, alphaRange, true))),
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
export function parseEffect(key: CheckMetricKey, text: string): number {
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

export function parseBudgetMs(text: string): number {
  return parseDurationMs(text, { min: 10_000, max: 4 * 3_600_000 });
}

function repeated<T>(parse: (text: string) => T) {
  return parser<readonly T[]>((text, before = []) => [...before, parse(text)]);
}
