/** Burn: keeps the CPU busy before each call, as a layer that computes too much would. A known slowdown, to be found. */
import type { Layer, Runtime } from './layer.ts';
import { type OptionsOf, optionsFor } from './options.ts';

export type BurnOptions = OptionsOf<'burn'>;

/** Blocks its thread for `forMs` of real time per call, whatever clock the other layers run on. */
export function burn(_runtime: Runtime, options: Partial<BurnOptions> = {}): Layer {
  const { forMs } = optionsFor('burn', options);
  return (next) => (request, call) => {
    const endMs = performance.now() + forMs;
    while (performance.now() < endMs);
    return next(request, call);
  };
}
