/** Peer options: which layers and options of ours another library has too, and what it is set to in the tank. */
import type { OptionValue } from '../../patterns/option.ts';
import type { LayerPlan } from '../../patterns/stack-plan.ts';
import type { PeerLayer, PeerName, PeerSettings } from './peer-stack.ts';

type PeerOptions = { readonly [Layer in PeerLayer]?: readonly string[] };

/** The options that apply, by layer. A layer that is not here is one that the library does not have. */
export const peerOptions: Readonly<Record<PeerName, PeerOptions>> = {
  cockatiel: {
    retry: ['retriesMax', 'baseMs', 'capMs'],
    breaker: ['windowMs', 'failureRate', 'callsMin', 'openMs'],
    bulkhead: ['concurrentMax', 'queueMax'],
    timeout: ['limitMs'],
  },
  opossum: {
    breaker: ['windowMs', 'failureRate', 'callsMin', 'openMs'],
    bulkhead: ['concurrentMax'],
    timeout: ['limitMs'],
  },
};

/** The stack that its name alone stands for; the attempt timeout ends it, as any. */
export const peerDefault = 'breaker';

/** The plan of a layer with the options that the library has. */
export function peerLayerPlan(peer: PeerName, { name, options }: LayerPlan): LayerPlan {
  const applicable: readonly string[] = peerOptions[peer][name as PeerLayer] ?? [];
  const kept = Object.entries(options).filter(([option]) => applicable.includes(option));
  return { name, options: Object.fromEntries(kept) };
}

/** What a stack of the library is set to; 0 for what belongs to a layer that it has not. */
export function peerSettings(layers: readonly LayerPlan[]): Omit<PeerSettings, 'isRetryable'> {
  const all: Record<string, OptionValue> = Object.fromEntries(
    layers.flatMap(({ options }) => Object.entries(options)),
  );
  const number = (option: string) => Number(all[option] ?? 0);
  return {
    retriesMax: number('retriesMax'),
    baseMs: number('baseMs'),
    capMs: number('capMs'),
    windowMs: number('windowMs'),
    // cockatiel takes neither end.
    failureRate: Math.min(number('failureRate'), 0.999),
    callsMin: number('callsMin'),
    openMs: number('openMs'),
    concurrentMax: number('concurrentMax'),
    queueMax: number('queueMax'),
    limitMs: number('limitMs'),
  };
}
