/** Stack plan: which layers with which options, as plain data, and how it is read from a command line. */
import { type OptionSpec, type OptionValue, readOption } from './option.ts';
import { completeOptions, specIn } from './option-set.ts';
import { type LayerName, layerNames, type PoolOptions, poolOptions, specOf, specsOf } from './options.ts';
import { UsageError } from './usage-error.ts';

/** A stack as it can be sent to another thread or written to a file: JSON keeps it as it is. */
export interface StackPlan {
  /** `retry+breaker`, without the timeout that ends every stack; `baseline` for that alone. */
  readonly name: string;
  /** Outermost first; the last is always `timeout`. */
  readonly layers: readonly LayerPlan[];
  /** The connection pools behind the last layer. */
  readonly pools: PoolOptions;
}

export interface LayerPlan {
  readonly name: LayerName;
  /** Every option of the layer, those left at their defaults too. Milliseconds may be `off`, which means never. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

const baseline = 'baseline';
/** Written like a layer behind the others: the stack with `pools.shared`, so that it can be compared with the one without. */
export const sharedPools = 'shared-pools';

/** Lists of stacks that have a name of their own. */
export const stackLists = {
  /** Four stages, from no protection to all of it. */
  article: [baseline, 'retry', 'retry+breaker', 'retry+breaker+bulkhead'],
  /** Every layer alone, and the combinations that make sense. */
  all: [
    baseline,
    'retry',
    'retry-blind',
    'retry-budget',
    'breaker',
    'breaker-count',
    'bulkhead',
    'retry+breaker',
    'retry+breaker-count',
    'retry+breaker+bulkhead',
    'retry-budget+breaker+bulkhead',
  ],
} as const;

/** What can stand for a whole stack, or for several. */
const stackNames = [baseline, ...Object.keys(stackLists), sharedPools];

/**
 * Reads a list of stacks, such as `baseline,retry+breaker` or `article`, and the settings for their layers.
 *
 * @param list Stacks separated by commas, or the name of a list of stacks. A stack is layers joined by `+`, outermost
 *   first; `timeout` ends every stack and need not be named. `shared-pools` may stand behind it, or alone.
 * @param settings `layer.option=value` or `pools.option=value`, with or without a unit; the last one for an option counts.
 * @throws {UsageError} If anything in it does not exist, comes twice, is out of range or would have no effect.
 */
export function parseStacks(list: string, settings: readonly string[]): StackPlan[] {
  return planStacks(list, stacksOf(list).map(parseStack), settings).map(
    ({ name, layers, pools: pooled }) => ({
      name,
      layers,
      pools: pooled,
    }),
  );
}

/** The stacks that a list names, one by one, the names of lists replaced by what they stand for. */
export function stacksOf(list: string): string[] {
  return list.split(',').flatMap((part) => expand(part.trim()));
}

/**
 * Gives stacks that were read one by one their options.
 *
 * @param list Where they were read from, for errors.
 * @param settings As for `parseStacks`.
 * @throws {UsageError} As `parseStacks`.
 */
export function planStacks<Stack extends ParsedStack>(
  list: string,
  stacks: readonly Stack[],
  settings: readonly string[],
): (Stack & StackPlan)[] {
  const twice = stacks.find(({ name }, place) => stacks.findIndex((other) => other.name === name) < place);
  if (twice !== undefined) {
    throw new UsageError(`the stack ${twice.name} comes twice in ${JSON.stringify(list)}; name it once`);
  }

  const used = new Set(stacks.flatMap(({ layerNames }) => layerNames));
  const values = new Map<LayerName | typeof pools, Record<string, OptionValue>>([[pools, {}]]);
  for (const layer of used) values.set(layer, defaultsOf(layer));
  for (const setting of settings) {
    const { owner, option, value } = parseSetting(setting);
    const options = values.get(owner);
    if (options === undefined) {
      throw new UsageError(
        `${setting} has no effect: no stack has ${owner}; layers in use: ${[...used].join(', ')}`,
      );
    }
    options[option] = value;
  }
  const pooled = values.get(pools);
  if (pooled?.shared !== undefined && stacks.some((stack) => stack.sharedPools)) {
    throw new UsageError(
      `pools.shared is set for all stacks and ${sharedPools} names one that has it; give one of the two`,
    );
  }

  return stacks.map((stack) => ({
    ...stack,
    layers: stack.layerNames.map((layer) => ({ name: layer, options: { ...values.get(layer) } })),
    pools: completeOptions(pools, poolOptions, {
      ...pooled,
      ...(stack.sharedPools && { shared: true }),
    }),
  }));
}

/** What stands before an option of the pools, where a layer's name stands before its own. */
const pools = 'pools';

/** A stack as it was written, without options. */
export interface ParsedStack {
  readonly name: string;
  /** Outermost first; the last is always `timeout`. */
  readonly layerNames: readonly LayerName[];
  readonly sharedPools: boolean;
}

/**
 * Reads one stack, such as `retry+breaker+shared-pools`.
 *
 * @throws {UsageError} If a layer in it does not exist or stands where it cannot.
 */
export function parseStack(text: string): ParsedStack {
  const names = text.split('+').map((name) => name.trim());
  const place = names.indexOf(sharedPools);
  if (place < 0) return namedStack(parseLayers(text), false);
  if (place < names.length - 1) {
    throw new UsageError(
      `${sharedPools} is not last in the stack ${text}; it stands behind all layers, so put it last`,
    );
  }
  return namedStack(parseLayers(names.slice(0, -1).join('+') || baseline), true);
}

function expand(name: string): readonly string[] {
  return name === 'article' || name === 'all' ? stackLists[name] : [name];
}

function parseLayers(stack: string): readonly LayerName[] {
  if (stack === baseline) return ['timeout'];
  const names = stack.split('+').map((name) => name.trim());
  const layers = names.map((name) =>
    names.length === 1 ? parseLayer(name, stackNames, 'layer or stack') : parseLayer(name),
  );
  const twice = layers.find((layer, place) => layers.indexOf(layer) < place);
  if (twice !== undefined)
    throw new UsageError(`${twice} comes twice in the stack ${stack}; a layer can be there once`);
  const place = layers.indexOf('timeout');
  if (place < 0) return [...layers, 'timeout'];
  if (place < layers.length - 1) {
    throw new UsageError(
      `timeout is not last in the stack ${stack}; it ends every stack, so put it last or leave it out`,
    );
  }
  return layers;
}

/** @param others What else would have been possible in its place. */
function parseLayer(name: string, others: readonly string[] = [], what = 'layer'): LayerName {
  const layer = layerNames.find((known) => known === name);
  if (layer !== undefined) return layer;
  throw new UsageError(
    `there is no ${what} ${JSON.stringify(name)}; allowed: ${[...layerNames, ...others].join(', ')}`,
  );
}

function namedStack(layers: readonly LayerName[], shared: boolean): ParsedStack {
  const names = [...layers.slice(0, -1), ...(shared ? [sharedPools] : [])];
  return {
    name: names.length === 0 ? baseline : names.join('+'),
    layerNames: layers,
    sharedPools: shared,
  };
}

function defaultsOf(layer: LayerName): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(specsOf(layer)).map(([name, spec]) => [name, spec.default]));
}

function parseSetting(setting: string): {
  owner: LayerName | typeof pools;
  option: string;
  value: OptionValue;
} {
  const [, ownerName, optionName, text] = /^([^.=]+)\.([^.=]+)=(.*)$/s.exec(setting) ?? [];
  if (ownerName === undefined || optionName === undefined || text === undefined) {
    throw new UsageError(
      `${JSON.stringify(setting)} is no setting; allowed: layer.option=value, as retry.baseMs=100`,
    );
  }
  const owner = ownerName.trim() === pools ? pools : parseLayer(ownerName.trim(), [pools]);
  const option = optionName.trim();
  return { owner, option, value: readOption(`${owner}.${option}`, specOfOwner(owner, option), text) };
}

function specOfOwner(owner: LayerName | typeof pools, option: string): OptionSpec {
  return owner === pools ? specIn(pools, poolOptions, option) : specOf(owner, option);
}
