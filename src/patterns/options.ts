/** Options: the one table of what can be set on each layer, with defaults, units and limits. */
import type { ChoiceOption, FlagOption, OptionSpec, ValueOf } from './option.ts';
import { completeOptions, specIn } from './option-set.ts';

const hourMs = 3_600_000;

export const ms = (value: number, min: number, meaning: string) =>
  ({ kind: 'ms', default: value, min, max: hourMs, off: false, meaning }) as const;
export const msOrOff = (value: number | 'off', min: number, meaning: string) =>
  ({ kind: 'ms', default: value, min, max: hourMs, off: true, meaning }) as const;
export const count = (value: number, min: number, meaning: string) =>
  ({ kind: 'count', default: value, min, max: 1_000_000, meaning }) as const;
export const share = (value: number, min: number, meaning: string) =>
  ({ kind: 'share', default: value, min, max: 1, meaning }) as const;
export const flag = (value: boolean, meaning: string): FlagOption => ({
  kind: 'flag',
  default: value,
  meaning,
});
export const choice = <Choice extends string>(
  value: Choice,
  choices: readonly Choice[],
  meaning: string,
): ChoiceOption<Choice> => ({ kind: 'choice', default: value, choices, meaning });

/** Ways to spread a delay. See `backoff.ts`. */
export const jitters = ['full', 'equal', 'decorrelated', 'proportional', 'none'] as const;

export type Jitter = (typeof jitters)[number];

const retry = {
  retriesMax: count(3, 0, 'retries after the first attempt'),
  baseMs: ms(100, 0, 'backoff before the first retry, doubled for each further one'),
  capMs: ms(2000, 0, 'longest backoff, before jitter'),
  jitter: choice('full', jitters, 'how the backoff is spread, so that callers do not retry in step'),
};

/** Every option of every layer. */
export const layerOptions = {
  retry,
  'retry-blind': retry,
  'retry-budget': {
    ...retry,
    share: share(0.2, 0, 'retries granted per call'),
    floorPerS: count(10, 0, 'retries granted per second, however few calls there are'),
    savedMax: count(100, 1, 'most unused retries that can be saved up'),
  },
  breaker: {
    windowMs: ms(500, 10, 'how far back calls count, in ten steps'),
    failureRate: share(0.1, 0.001, 'share of failed calls in the window that opens it'),
    callsMin: count(10, 1, 'fewest calls in the window before the share means anything'),
    openMs: ms(500, 1, 'how long it stays open before it lets probes through'),
    probesMax: count(5, 1, 'probes while half-open; it closes when all have succeeded'),
    leaseMs: ms(
      3000,
      1,
      'longest that a probe may take, where slowMs is not shorter; then it counts as failed',
    ),
    slowMs: msOrOff(
      100,
      1,
      'a call that takes this long, waiting in a bulkhead inside included, counts as failed at that moment',
    ),
  },
  'breaker-count': {
    failuresMax: count(5, 1, 'failures in a row that open it'),
    openMs: ms(1000, 1, 'how long it stays open before it lets everything through'),
  },
  bulkhead: {
    concurrentMax: count(10, 1, 'calls at the same time'),
    queueMax: count(0, 0, 'calls that wait for a place; 0 rejects at once'),
    queueMs: ms(500, 1, 'longest wait in the queue'),
  },
  burn: {
    forMs: ms(0.1, 0, 'CPU time that each call costs'),
  },
  timeout: {
    limitMs: ms(3000, 1, 'longest that an attempt may take'),
    abort: flag(true, 'really end the attempt (its socket closes); false leaves a zombie'),
  },
} as const satisfies Record<string, Record<string, OptionSpec>>;

/** What can be set on the connection pools, which every stack ends in and which are no layer. */
export const poolOptions = {
  connectionsMax: count(100, 1, 'sockets that a pool may have; further calls wait for one'),
  idleMax: count(20, 0, 'unused sockets that a pool keeps; those beyond are closed'),
  shared: flag(
    false,
    'one pool for both services, not one for each; a control, to show what a slow one does to the other',
  ),
} as const satisfies Record<string, OptionSpec>;

/** The complete options of the pools. */
export type PoolOptions = {
  readonly [Key in keyof typeof poolOptions]: ValueOf<(typeof poolOptions)[Key]>;
};

export type LayerName = keyof typeof layerOptions;

export const layerNames = Object.keys(layerOptions) as readonly LayerName[];

/** The complete options of a layer, by its name. */
export type OptionsOf<Name extends LayerName> = {
  readonly [Key in keyof (typeof layerOptions)[Name]]: ValueOf<(typeof layerOptions)[Name][Key]>;
};

/** The specs of a layer's options by name, without their particular types. */
export function specsOf(layer: LayerName): Readonly<Record<string, OptionSpec>> {
  return layerOptions[layer];
}

/**
 * The complete options of a layer: what was given, and the default for the rest.
 *
 * @throws {UsageError} If an option does not exist or cannot have its value.
 */
export function optionsFor<Name extends LayerName>(
  layer: Name,
  given: Partial<OptionsOf<Name>>,
): OptionsOf<Name> {
  return completeOptions(layer, specsOf(layer), given) as OptionsOf<Name>;
}

/**
 * How one option is declared.
 *
 * @throws {UsageError} If the layer has no such option.
 */
export function specOf(layer: LayerName, option: string): OptionSpec {
  return specIn(layer, specsOf(layer), option);
}
