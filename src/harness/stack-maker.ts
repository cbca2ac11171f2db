/** Stack maker: builds a stack, whoever makes its layers, inside the gateway. */
import type { Runtime } from '../patterns/layer.ts';
import { compose } from '../patterns/pipeline.ts';
import { type BuiltStack, buildStack } from '../patterns/stack.ts';
import type { MeasuredStack } from './measured-stack.ts';
import { loadOwn } from './own/own-export.ts';
import { OwnFaults } from './own/own-faults.ts';
import { ownLayer } from './own/own-layer.ts';
import { buildPeerStack } from './peers/peer-layer.ts';
import { loadPeer } from './peers/peer-stack.ts';

export interface MadeStack extends BuiltStack {
  /** What was wrong with the user's module so far, a line each. */
  faults(): readonly string[];
  /** Stops what would keep its thread alive. */
  close(): void;
}

/**
 * @param purpose Which of the two services it is for: a module is loaded anew for each, so that it has two states too.
 */
export async function makeStack(
  stack: MeasuredStack,
  runtime: Runtime,
  purpose: 'payments' | 'users',
): Promise<MadeStack> {
  const { maker } = stack;
  const none = { faults: () => [], close: () => undefined };
  if (maker === undefined) return { ...none, ...buildStack(stack, runtime) };
  if (maker.kind === 'peer') {
    const peer = loadPeer(maker.peer);
    if (peer === undefined) throw new Error(`${maker.peer} is gone`);
    return { ...none, ...buildPeerStack(peer, stack.layers, runtime) };
  }
  const faults = new OwnFaults(maker.file, purpose);
  const own = ownLayer(await loadOwn(maker.file, `${maker.url}?${purpose}`, maker.exports), runtime, faults);
  const behind = buildStack(stack, runtime);
  return {
    ...none,
    apply: (next) => compose([own, behind.apply], next),
    breakerState: () => undefined,
    faults: () => faults.lines(runtime.clock.now()),
  };
}
