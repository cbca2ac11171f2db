/** Run flags: the command line of `run` as commander reads it, with the flags of its preset below its own. */
import { Command, Option } from 'commander';
import { parseRateLimits, type RateLimitPolicy } from '../patterns/rate-limit-policy.ts';
import { UsageError } from '../patterns/usage-error.ts';
import { parseArguments, parser } from './command-line.ts';
import { version } from './host.ts';
import { parseStackList } from './measured-stack.ts';
import { slaDefaultMs } from './metrics.ts';
import { checkHost, type ExternalTarget, isAddress, parseExternalTarget } from './external-target.ts';
import { type PresetName, presetNames, presets } from './presets.ts';
import { parseRedisAddress } from './redis-address.ts';
import { type FaultPlan, parseTarget } from './target-options.ts';
import { defaultTargetPlan, dockerRestart, isExternal, type TargetPlan } from './target-plan.ts';
import { mebibyte, parseBytes, parseDurationMs, parseNumber, type Range, sizeText } from './units.ts';

/** In the units of the flags; what was not given and has no default is absent. */
export interface Flags {
  preset?: PresetName;
  pattern: string;
  set: string[];
  duration: number;
  warmup: number;
  rate?: number;
  arrivals?: 'constant' | 'poisson';
  vus?: number;
  think?: number;
  rateLimit?: RateLimits;
  redis?: string;
  rateLimitFail?: 'open' | 'closed';
  trials: number;
  target: FaultPlan | ExternalTarget;
  allowRemote?: string;
  requireKey?: boolean;
  heap: number;
  leak: number;
  idleLeak: number;
  leakKind: 'heap' | 'rss';
  memoryLimit: number;
  swap: number;
  swapRate: number;
  down: 'hang' | 'refuse';
  restartDelay: TargetPlan['restart'];
  seed: number;
  sla: number;
  out: string;
  json?: boolean;
  quiet?: boolean;
  report: boolean;
  orders?: boolean;
  list?: boolean;
  gatewayPort: number;
  targetPort: number;
  loadThreads: number;
  inFlightMax: number;
}

export interface RateLimits {
  /** As they were given. */
  readonly text: string;
  readonly policies: readonly RateLimitPolicy[];
}

/** The defaults of an open loop; they are not the flags' own, so that `--rate` beside `--vus` can be told apart. */
export const openLoopDefaults = { ratePerS: 600, arrivals: 'constant' } as const;

/**
 * Reads the arguments behind `run`; a text to print where one was asked for (help, version).
 *
 * @throws {UsageError} One line, for anything that is not allowed.
 */
export function readFlags(argv: readonly string[]): Flags | string {
  const command = describeCommand();
  const text = parseArguments(command, argv);
  if (text !== null) return text;
  const flags = withPreset(command);
  if (flags.list !== true) {
    checkAddress(flags);
    checkTargetFlags(command, flags);
  }
  return flags;
}

/** The flags that were given, above those of their preset, above the defaults. */
function withPreset(command: Command): Flags {
  const flags = command.opts<Flags>();
  if (flags.preset === undefined) return flags;
  const base = describeCommand().parse(presets[flags.preset].flags, { from: 'user' }).opts<Flags>();
  const given = Object.fromEntries(
    Object.entries(flags).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  ) as Partial<Flags>;
  // Whoever names a rate wants the other kind of loop.
  if (given.rate !== undefined || given.arrivals !== undefined) {
    delete base.vus;
    delete base.think;
  }
  // Whoever names the other kind of leak does without the container's swap.
  if (given.leakKind === 'heap') base.swap = 0;
  const merged: Flags = { ...base, ...given };
  return { ...merged, set: [...settingsInUse(base.set, merged.pattern), ...flags.set] };
}

/** Settings of layers that the stacks have; a preset may be run with fewer stacks than it is made for. */
function settingsInUse(settings: readonly string[], pattern: string): string[] {
  const stacks = parseStackList(pattern, []);
  const has = (setting: string) =>
    stacks.some(({ layers }) =>
      layers.some(({ name, options }) =>
        Object.keys(options).some((option) => setting.startsWith(`${name}.${option}=`)),
      ),
    );
  return settings.filter((setting) => setting.startsWith('pools.') || has(setting));
}

function checkAddress({ target, allowRemote }: Flags): void {
  if (isExternal(target)) checkHost(target, allowRemote);
  else if (allowRemote !== undefined) {
    throw new UsageError(
      '--allow-remote has no effect without a --target on another machine; allowed: --target http://HOST:PORT too',
    );
  }
}

const leakFlags: readonly (keyof Flags)[] = [
  'leak',
  'idleLeak',
  'leakKind',
  'memoryLimit',
  'swap',
  'swapRate',
];
/** Those of a service that is started here. */
const serviceFlags: readonly (keyof Flags)[] = [
  ...leakFlags,
  'requireKey',
  'heap',
  'down',
  'restartDelay',
  'targetPort',
];

/** A flag of the service that has no effect is what nobody means. What a preset brings along may have none. */
function checkTargetFlags(command: Command, { target, leakKind, swap }: Flags): void {
  const isGiven = (name: keyof Flags) => command.getOptionValueSource(name) === 'cli';
  const without = (names: readonly (keyof Flags)[], where: string, owner: string) => {
    const given = names.find(isGiven);
    if (given === undefined) return;
    const flag = command.options.find((option) => option.attributeName() === given)?.long ?? given;
    throw new UsageError(`${flag} has no effect on --target ${where}; it belongs to ${owner}`);
  };
  if (isExternal(target)) {
    without(serviceFlags, target.origin, 'a service that is started here');
    return;
  }
  if (target.name !== 'leaky') {
    without(leakFlags, target.name, 'leaky');
    return;
  }
  if (leakKind === 'heap' && isGiven('memoryLimit')) {
    throw new UsageError(
      '--memory-limit has no effect on a leak of the heap, which ends at --heap: give --leak-kind rss too',
    );
  }
  if (swap === 0 && isGiven('swapRate')) {
    throw new UsageError('--swap-rate has no effect without swap: give --swap too');
  }
}

function describeCommand(): Command {
  const option = (flags: string, text: string) => new Option(flags, text);
  const duration = (range: Range) => parser((value) => parseDurationMs(value, range));
  const size = (range: Range) => parser((value) => parseBytes(value, range));
  const whole = (range: Range) => parser((value) => parseNumber(value, range));
  const ports = { min: 0, max: 65_535 };

  return new Command('wavetank run')
    .description(
      'Measures stacks of resilience patterns between an order gateway and a payment service that really dies.',
    )
    .version(version)
    .allowExcessArguments(false)
    .addOption(
      option(
        '--pattern <list>',
        'stacks to measure, separated by commas, outermost layer first: retry+breaker; also: baseline, shared-pools, article, all, cockatiel, opossum, ./my-stack.ts',
      ).default('breaker'),
    )
    .addOption(
      option(
        '--set <layer.option=value>',
        'an option of a layer, or of the connection pools (pools.shared=true); can be given more than once',
      )
        .argParser((value: string, before: string[]) => [...before, value])
        .default([], ''),
    )
    .addOption(
      option(
        '--preset <name>',
        "a set of options with a name (see --list); flags beside it override its own. article: the first article's set-up",
      ).choices(presetNames),
    )
    .addOption(
      option('--list', 'list the layers and targets with their options, the stacks and presets, and end'),
    )
    .addOption(
      option('--duration <time>', 'measured window of a trial')
        .argParser(duration({ min: 1000, max: 3_600_000 }))
        .default(20_000, '20s'),
    )
    .addOption(
      option('--warmup <time>', 'ordinary traffic before the window')
        .argParser(duration({ min: 0, max: 600_000 }))
        .default(4000, '4s'),
    )
    .addOption(
      option(
        '--rate <per-second>',
        `requests per second: of ten eight orders, one GET /catalog, one GET /users/:id (default: ${openLoopDefaults.ratePerS})`,
      ).argParser(parser((value) => parseNumber(value, { min: 1, max: 50_000 }, true))),
    )
    .addOption(
      option('--arrivals <shape>', `spacing of requests (default: ${openLoopDefaults.arrivals})`).choices([
        'constant',
        'poisson',
      ]),
    )
    .addOption(
      option('--vus <count>', 'closed loop instead: users that wait for each answer').argParser(
        whole({ min: 1, max: 5000 }),
      ),
    )
    .addOption(
      option(
        '--think <time>',
        'closed loop: what a user waits before the next request (default: 1s)',
      ).argParser(duration({ min: 0, max: 600_000 })),
    )
    .addOption(
      option(
        '--rate-limit <limits>',
        "limits per client at the gateway's door, all to be passed: token-bucket:ratePerS=100,burst=20;sliding-window:limit=1000,windowMs=10s",
      ).argParser(parser(parseRateLimitFlag)),
    )
    .addOption(
      option(
        '--redis <address>',
        'count for the rate limits in Redis, not in memory: redis://127.0.0.1:6379',
      ).argParser(parser(parseRedisAddress)),
    )
    .addOption(
      option(
        '--rate-limit-fail <how>',
        'while Redis cannot decide, let requests in (open) or turn them away (closed) (default: open)',
      ).choices(['open', 'closed']),
    )
    .addOption(
      option('--trials <count>', 'trials of each stack, interleaved')
        .argParser(whole({ min: 1, max: 1000 }))
        .default(1),
    )
    .addOption(
      option(
        '--target <name[:option=value,...]>',
        'how the payment service fails; --list shows them all; or the address of one that you run: http://127.0.0.1:3000',
      )
        .argParser(parser((text) => (isAddress(text) ? parseExternalTarget(text) : parseTarget(text))))
        .default(defaultTargetPlan.fault, defaultTargetPlan.fault.name),
    )
    .addOption(
      option(
        '--allow-remote <host>',
        'the host of a --target address that is on another machine, if its owner agrees',
      ),
    )
    .addOption(option('--require-key', 'payments without an Idempotency-Key get 400'))
    .addOption(
      option('--heap <MB>', "the payment service's --max-old-space-size")
        .argParser(parser((value) => parseNumber(value.replace(/MB$/i, ''), { min: 16, max: 4096 })))
        .default(defaultTargetPlan.heapBytes / mebibyte),
    )
    .addOption(
      option('--leak <size>', 'memory that each payment leaks')
        .argParser(size({ min: 0, max: 64 * mebibyte }))
        .default(defaultTargetPlan.leakBytes, sizeText(defaultTargetPlan.leakBytes)),
    )
    .addOption(
      option('--idle-leak <size>', 'memory that the service leaks per second, whatever is asked of it')
        .argParser(size({ min: 0, max: 1024 * mebibyte }))
        .default(defaultTargetPlan.idleLeakBytesPerS, sizeText(defaultTargetPlan.idleLeakBytesPerS)),
    )
    .addOption(
      option('--leak-kind <kind>', 'heap: V8 aborts at --heap; rss: Buffers, killed at --memory-limit')
        .choices(['heap', 'rss'])
        .default('heap'),
    )
    .addOption(
      option(
        '--memory-limit <size>',
        'resident memory at which the supervisor kills a service that leaks Buffers',
      )
        .argParser(size({ min: 64 * mebibyte, max: 8192 * mebibyte }))
        .default(defaultTargetPlan.memoryLimitBytes, sizeText(defaultTargetPlan.memoryLimitBytes)),
    )
    .addOption(
      option(
        '--swap <size>',
        'model of a container that swaps: the kill comes this far beyond --memory-limit, and until then each payment blocks the service for what it leaks over --swap-rate',
      )
        .argParser(size({ min: 0, max: 8192 * mebibyte }))
        .default(defaultTargetPlan.swapBytes, '0'),
    )
    .addOption(
      option('--swap-rate <size>', 'what --swap takes per second')
        .argParser(size({ min: 1024, max: 8192 * mebibyte }))
        .default(defaultTargetPlan.swapBytesPerS, sizeText(defaultTargetPlan.swapBytesPerS)),
    )
    .addOption(
      option('--down <how>', 'what callers meet while the service is down')
        .choices(['hang', 'refuse'])
        .default('hang'),
    )
    .addOption(
      option(
        '--restart-delay <time>',
        "from a death to the next start; docker: Docker's own, doubling from 100ms",
      )
        .argParser(parser(parseRestartDelay))
        .default(defaultTargetPlan.restart, '1s'),
    )
    .addOption(
      option('--seed <number>', 'seed of arrivals and jitter')
        .argParser(whole({ min: 0, max: 2 ** 32 - 1 }))
        .default(1),
    )
    .addOption(
      option('--sla <time>', 'how long an order may take at most to count as within SLA')
        .argParser(duration({ min: 1, max: 120_000 }))
        .default(slaDefaultMs, `${slaDefaultMs}ms`),
    )
    .addOption(option('--out <folder>', 'folder for the results').default('runs'))
    .addOption(option('--json', 'print the whole result on stdout'))
    .addOption(option('--quiet', 'no progress'))
    .addOption(option('--no-report', 'write result.json alone: no report, charts and histogram files'))
    .addOption(option('--orders', 'write what became of each order to orders.csv, beside the result'))
    .addOption(
      option(
        '--in-flight-max <count>',
        'requests under way at once; beyond it an arrival is skipped and counted',
      )
        .argParser(whole({ min: 1, max: 20_000 }))
        .default(5000),
    )
    .addOption(
      option('--load-threads <count>', 'threads that send')
        .argParser(whole({ min: 1, max: 16 }))
        .default(1),
    )
    .addOption(option('--gateway-port <port>', '0: any free one').argParser(whole(ports)).default(0))
    .addOption(option('--target-port <port>', '0: any free one').argParser(whole(ports)).default(0));
}

/** A second one would silently take the place of the first, which is what nobody means who wants both. */
function parseRateLimitFlag(text: string, before: RateLimits | undefined): RateLimits {
  if (before !== undefined) {
    throw new UsageError(`given twice; allowed: once, limits behind each other: '${before.text};${text}'`);
  }
  return { text, policies: parseRateLimits(text) };
}

function parseRestartDelay(text: string): TargetPlan['restart'] {
  if (text === 'docker') return dockerRestart;
  try {
    return { kind: 'constant', delayMs: parseDurationMs(text, { min: 0, max: 600_000 }) };
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}; or docker`);
    throw error;
  }
}
