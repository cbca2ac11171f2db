/** Stack plan: which layers with which options, as plain data, and how it is read from a command line. */
import { type OptionValue, readOption } from './option.ts';
import { type LayerName, layerNames, specOf, specsOf } from './options.ts';
import { UsageError } from './usage-error.ts';

/** A stack as it can be sent to another thread or written to a file: JSON keeps it as it is. */
export interface StackPlan {
  /** `retry+breaker`, without the timeout that ends every stack; `baseline` for that alone. */
  readonly name: string;
  /** Outermost first; the last is always `timeout`. */
  readonly layers: readonly LayerPlan[];
}

export interface LayerPlan {
  readonly name: LayerName;
  /** Every option of the layer, those left at their defaults too. Milliseconds may be `off`, which means never. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

const baseline = 'baseline';

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
const stackNames = [baseline, ...Object.keys(stackLists)];

/**
 * Reads a list of stacks, such as `baseline,retry+breaker` or `article`, and the settings for their layers.
 *
 * @param list Stacks separated by commas, or the name of a list of stacks. A stack is layers joined by `+`, outermost
 *   first; `timeout` ends every stack and need not be named.
 * @param settings `layer.option=value`, with or without a unit; the last one for an option counts.
 * @throws {UsageError} If anything in it does not exist, comes twice, is out of range or would have no effect.
 */
export function parseStacks(list: string, settings: readonly string[]): StackPlan[] {
  const named = new Map<string, readonly LayerName[]>();
  for (const stack of list.split(',').flatMap((part) => expand(part.trim()))) {
    const layers = parseLayers(stack);
    const name = nameOf(layers);
    if (named.has(name))
      throw new UsageError(`the stack ${name} comes twice in ${JSON.stringify(list)}; name it once`);
    named.set(name, layers);
  }

  const used = new Set([...named.values()].flat());
  const values = new Map<LayerName, Record<string, OptionValue>>();
  for (const layer of used) values.set(layer, defaultsOf(layer));
  for (const setting of settings) {
    const { layer, option, value } = parseSetting(setting);
    const options = values.get(layer);
    if (options === undefined) {
      throw new UsageError(
        `${setting} has no effect: no stack has ${layer}; layers in use: ${[...used].join(', ')}`,
      );
    }
    options[option] = value;
  }

  return [...named].map(([name, layers]) => ({
    name,
    layers: layers.map((layer) => ({ name: layer, options: { ...values.get(layer) } })),
  }));
}

function expand(name: string): readonly string[] {
  return name === 'article' || name === 'all' ? stackLists[name] : [name];
}

function parseLayers(stack: string): readonly LayerName[] {
  if (stack === baseline) return ['timeout'];
  const names = stack.split('+').map((name) => name.trim());
  const layers = names.map((name) => parseLayer(name, names.length === 1 ? stackNames : []));
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
function parseLayer(name: string, others: readonly string[] = []): LayerName {
  const layer = layerNames.find((known) => known === name);
  if (layer !== undefined) return layer;
  const what = others.length > 0 ? 'layer or stack' : 'layer';
  throw new UsageError(
    `there is no ${what} ${JSON.stringify(name)}; allowed: ${[...layerNames, ...others].join(', ')}`,
  );
}

function nameOf(layers: readonly LayerName[]): string {
  return layers.length === 1 ? baseline : layers.slice(0, -1).join('+');
}

function defaultsOf(layer: LayerName): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(specsOf(layer)).map(([name, spec]) => [name, spec.default]));
}

function parseSetting(setting: string): { layer: LayerName; option: string; value: OptionValue } {
  const [, layerName, option, text] = /^([^.=]+)\.([^.=]+)=(.*)$/s.exec(setting) ?? [];
  if (layerName === undefined || option === undefined || text === undefined) {
    throw new UsageError(
      `${JSON.stringify(setting)} is no setting; allowed: layer.option=value, as retry.baseMs=100`,
    );
  }
  const layer = parseLayer(layerName.trim());
  const name = option.trim();
  return { layer, option: name, value: readOption(`${layer}.${name}`, specOf(layer, name), text) };
}
