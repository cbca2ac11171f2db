/** Stack cost: what a call through a stack costs by itself, where the service answers at once. */
import { realClock } from '../harness/time.ts';
import { Cancellation } from '../patterns/cancellation.ts';
import { confirmed } from '../patterns/outcome.ts';
import { buildStack, type StackPlan } from '../patterns/stack.ts';

const warmUpCalls = 2000;
const batches = 9;
const callsPerBatch = 300;

/**
 * In ns, without what the bare call costs: the least of several batches, because whatever else runs makes them longer only. The
 * layers are instances of their own, so that those of the gateway have seen nothing when the load comes.
 */
export async function stackCostNs(plan: StackPlan): Promise<number> {
  const answer = Promise.resolve(confirmed('done'));
  const send = () => answer;
  const stack = buildStack(plan, { clock: realClock, random: Math.random }).apply(send);
  const callStack = () =>
    stack('order', { method: 'POST', idempotencyKey: 'k', cancellation: new Cancellation() });
  await nsPerCall(callStack, warmUpCalls);
  await nsPerCall(send, warmUpCalls);
  let whole = Infinity;
  let bare = Infinity;
  for (let batch = 0; batch < batches; batch += 1) {
    whole = Math.min(whole, await nsPerCall(callStack, callsPerBatch));
    bare = Math.min(bare, await nsPerCall(send, callsPerBatch));
  }
  return Math.max(0, Math.round(whole - bare));
}

async function nsPerCall(call: () => Promise<unknown>, calls: number): Promise<number> {
  const startMs = performance.now();
  for (let made = 0; made < calls; made += 1) await call();
  return ((performance.now() - startMs) * 1e6) / calls;
}
