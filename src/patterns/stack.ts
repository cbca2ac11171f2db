/** Stack: layers in order, outermost first, made from a plan. */
import { createBreaker } from './breaker.ts';
import { createBreakerCount } from './breaker-count.ts';
import { bulkhead } from './bulkhead.ts';
import { burn } from './burn.ts';
import type { BreakerState } from './events.ts';
import type { Layer, Runtime } from './layer.ts';
import { describeOptions, type OptionDescription } from './option-set.ts';
import { type LayerName, layerNames, type OptionsOf, poolOptions, specsOf } from './options.ts';
import { compose } from './pipeline.ts';
import { retry, retryBlind, retryBudget } from './retry.ts';
import type { LayerPlan, StackPlan } from './stack-plan.ts';
import { timeout } from './timeout.ts';

export { type LayerPlan, parseStacks, type StackPlan, stackLists } from './stack-plan.ts';

export interface BuiltStack {
  /** The whole stack as one layer. */
  readonly apply: Layer;
  /** The outermost breaker's state now; undefined if the stack has none. */
  breakerState(): BreakerState | undefined;
}

/**
 * Makes the layers of a plan.
 *
 * @throws {UsageError} If a plan that did not come from `parseStacks` has an option that is not allowed.
 */
export function buildStack(plan: Pick<StackPlan, 'layers'>, runtime: Runtime): BuiltStack {
  const made = plan.layers.map((layer) => make(layer, runtime));
  const layers = made.map((one) => one.layer);
  const breaker = made.find((one) => one.state !== undefined);
  return { apply: (next) => compose(layers, next), breakerState: () => breaker?.state?.() };
}

interface Made {
  readonly layer: Layer;
  readonly state?: () => BreakerState;
}

interface LayerEntry<Name extends LayerName> {
  /** One line. */
  readonly meaning: string;
  readonly make: (options: Partial<OptionsOf<Name>>, runtime: Runtime) => Made;
}

/** Every layer that can be named in a stack. A new one needs its options in `options.ts` and its line here. */
const entries: { readonly [Name in LayerName]: LayerEntry<Name> } = {
  retry: {
    meaning: 'tries again what failed, where that is safe',
    make: (options, runtime) => ({ layer: retry(options, runtime) }),
  },
  'retry-blind': {
    meaning: 'tries again even what may have been carried out; a control, to count its duplicates',
    make: (options, runtime) => ({ layer: retryBlind(options, runtime) }),
  },
  'retry-budget': {
    meaning: 'retry, as long as retries stay a small share of all calls',
    make: (options, runtime) => ({ layer: retryBudget(options, runtime) }),
  },
  breaker: {
    meaning: 'stops calling a target that fails, and lets a few probes find out when it is back',
    make: createBreaker,
  },
  'breaker-count': {
    meaning:
      'opens after failures in a row and lets everything through afterwards; a control, for the stampede',
    make: createBreakerCount,
  },
  bulkhead: {
    meaning: 'bounds how many calls run at the same time',
    make: (options, runtime) => ({ layer: bulkhead(options, runtime) }),
  },
  burn: {
    meaning: 'computes before each call; a control, to see whether a slowdown is found',
    make: (options) => ({ layer: burn(options) }),
  },
  timeout: {
    meaning: 'ends an attempt that takes too long; the last layer of every stack',
    make: (options, runtime) => ({ layer: timeout(options, runtime) }),
  },
};

function make({ name, options }: LayerPlan, runtime: Runtime): Made {
  // The options are those of this very layer, and are checked when it is made; the compiler cannot see that they belong together.
  return (entries[name] as LayerEntry<never>).make(options as never, runtime);
}

export interface LayerDescription {
  readonly name: LayerName;
  readonly meaning: string;
  readonly options: readonly OptionDescription[];
}

/** What can be set on the connection pools, for a help text. */
export function describePools(): readonly OptionDescription[] {
  return describeOptions(poolOptions);
}

/** Every layer with its options, for a help text. */
export function describeLayers(): readonly LayerDescription[] {
  return layerNames.map((name) => ({
    name,
    meaning: entries[name].meaning,
    options: describeOptions(specsOf(name)),
  }));
}
