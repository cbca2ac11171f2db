/** Burn: keeps the CPU busy before each call, as a layer that computes too much would. A known slowdown, to be found. */
import { layerOf } from './flow.ts';
import type { Layer } from './layer.ts';
import { ms } from './option.ts';
import { completeOptions, type OptionsIn } from './option-set.ts';
import { realClock } from './real-runtime.ts';

/** What can be set on a burn, with defaults, units and limits. */
export const burnOptions = {
  forMs: ms(0.1, 0, 'CPU time that each call costs'),
};

export type BurnOptions = OptionsIn<typeof burnOptions>;

/** Blocks its thread for `forMs` of real time per call, whatever clock the other layers run on. */
export function burn(options: Partial<BurnOptions> = {}): Layer {
  const { forMs } = completeOptions('burn', burnOptions, options);
  return layerOf((next) => (request, call, sink) => {
    const endMs = realClock.now() + forMs;
    while (realClock.now() < endMs);
    return next(request, call, sink);
  });
}
