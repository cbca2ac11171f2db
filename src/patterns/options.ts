/** Options: what can be set on each layer that can be named in a stack. Each layer declares its own. */
import { breakerOptions } from './breaker-core.ts';
import { breakerCountOptions } from './breaker-count.ts';
import { bulkheadOptions } from './bulkhead-core.ts';
import { burnOptions } from './burn.ts';
import { count, flag, type OptionSpec } from './option.ts';
import { type OptionSpecs, type OptionsIn, specIn } from './option-set.ts';
import { retryBudgetOptions, retryOptions } from './retry.ts';
import { timeoutOptions } from './timeout.ts';

/** Every option of every layer. */
export const layerOptions = {
  retry: retryOptions,
  'retry-blind': retryOptions,
  'retry-budget': retryBudgetOptions,
  breaker: breakerOptions,
  'breaker-count': breakerCountOptions,
  bulkhead: bulkheadOptions,
  burn: burnOptions,
  timeout: timeoutOptions,
} as const satisfies Record<string, OptionSpecs>;

/** What can be set on the connection pools, which every stack ends in and which are no layer. */
export const poolOptions = {
  connectionsMax: count(100, 1, 'sockets that a pool may have; further calls wait for one'),
  idleMax: count(20, 0, 'unused sockets that a pool keeps; those beyond are closed'),
  shared: flag(
    false,
    'one pool for both services, not one for each; a control, to show what a slow one does to the other',
  ),
} as const satisfies OptionSpecs;

/** The complete options of the pools. */
export type PoolOptions = OptionsIn<typeof poolOptions>;

export type LayerName = keyof typeof layerOptions;

export const layerNames = Object.keys(layerOptions) as readonly LayerName[];

/** The complete options of a layer, by its name. */
export type OptionsOf<Name extends LayerName> = OptionsIn<(typeof layerOptions)[Name]>;

/** The specs of a layer's options by name, without their particular types. */
export function specsOf(layer: LayerName): OptionSpecs {
  return layerOptions[layer];
}

/**
 * How one option is declared.
 *
 * @throws {UsageError} If the layer has no such option.
 */
export function specOf(layer: LayerName, option: string): OptionSpec {
  return specIn(layer, specsOf(layer), option);
}
