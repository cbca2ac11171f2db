/** Call limit: the longest that a call through a stack can take, told from its plan alone. */
import { type Backoff, backoffMs, type Jitter } from './backoff.ts';
import type { LayerPlan, StackPlan } from './stack-plan.ts';

/**
 * In ms. Counts every retry with its longest backoff and every queue with its longest wait; a Retry-After that the called
 * service sends is not in the plan, and can make it longer.
 */
export function callLimitMs(plan: StackPlan): number {
  return plan.layers.toReversed().reduce(throughLayer, 0);
}

/** The limit of a layer around something that takes `innerMs` at the longest. */
function throughLayer(innerMs: number, { name, options }: LayerPlan): number {
  const number = (option: string) => Number(options[option]);
  switch (name) {
    case 'timeout':
      return number('limitMs');
    case 'retry':
    case 'retry-blind':
    case 'retry-budget': {
      const retries = number('retriesMax');
      const backoff = { baseMs: number('baseMs'), capMs: number('capMs'), jitter: options.jitter as Jitter };
      return innerMs * (retries + 1) + backoffsMs(retries, backoff);
    }
    case 'bulkhead':
      return innerMs + (number('queueMax') > 0 ? number('queueMs') : 0);
    case 'breaker':
    case 'breaker-count':
      return innerMs;
    case 'burn':
      return number('forMs') + innerMs;
  }
}

/** All backoffs of a call together, each at its longest. */
function backoffsMs(retriesMax: number, backoff: Backoff): number {
  let totalMs = 0;
  let delayMs = 0;
  for (let retry = 1; retry <= retriesMax; retry += 1) {
    delayMs = backoffMs(backoff, retry, delayMs, () => 1);
    totalMs += delayMs;
  }
  return totalMs;
}
