/** Peer layer: a whole stack of another library as a stack of ours, so that it can stand in the gateway. */
import type { BreakerState } from '../../patterns/events.ts';
import type { Runtime } from '../../patterns/layer.ts';
import { type Failure, failed, type FailureKind, type Outcome } from '../../patterns/outcome.ts';
import type { BuiltStack, LayerPlan } from '../../patterns/stack.ts';
import { isTransient } from '../../patterns/retry.ts';
import { verdictOf } from '../../patterns/verdict.ts';
import { type Attempt, type Caller, foreignLayer } from '../own/foreign-layer.ts';
import { thrownFailure } from '../own/thrown-failure.ts';
import { peerSettings } from './peer-options.ts';
import type { Peer, PeerLayer } from './peer-stack.ts';

/** What an attempt throws that says something against the target; what does not is returned, as our breakers see it. */
class AttemptFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/**
 * @param layers Outermost first, with the options that the library has.
 * @throws Error if the library has no such stack; whoever wrote the plan has to know.
 */
export function buildPeerStack(
  peer: Peer,
  layers: readonly LayerPlan[],
  runtime: Runtime,
): BuiltStack & { close(): void } {
  const { clock, report } = runtime;
  const names = layers.map(({ name }) => name as PeerLayer);
  let state: BreakerState = 'closed';
  const stack = peer.build(
    names,
    {
      ...peerSettings(layers),
      // As our own retry; every call of the gateway is safe to be repeated.
      isRetryable: (error) => {
        const failure = failureOf(error);
        return failure !== undefined && isTransient(failure);
      },
    },
    {
      breakerState(to) {
        if (to === state) return;
        report?.({ type: 'breaker-transition', atMs: clock.now(), from: state, to });
        state = to;
      },
      retry(retry, delayMs, error) {
        const after = failureOf(error)?.kind ?? 'http-5xx';
        // The library's own timeout, of this attempt; that of the last one comes out of the call.
        if (after === 'timeout' && !(error instanceof AttemptFailed)) reportRejection(after, runtime);
        report?.({ type: 'retry', atMs: clock.now(), retry, delayMs, after });
      },
    },
  );
  if (stack === undefined) throw new Error(`${peer.name} has no stack ${names.join('+')}`);

  const through = async <Res>(attempt: Attempt<Res>, caller: Caller): Promise<Outcome<Res>> => {
    try {
      const once = async (signal?: AbortSignal) => {
        const outcome = await attempt(signal);
        if (!outcome.ok && verdictOf(outcome) !== 'success') throw new AttemptFailed(outcome.failure);
        return outcome;
      };
      return await (peer.name === 'cockatiel' ? stack.call(once, caller.signal) : stack.call(once));
    } catch (error) {
      const failure = failureOf(error);
      // Neither an attempt nor one of the library's own: a bug.
      if (failure === undefined) throw error;
      if (!(error instanceof AttemptFailed)) reportRejection(failure.kind, runtime);
      return failed(failure.kind, failure);
    }
  };
  return {
    apply: foreignLayer(through, runtime),
    breakerState: () => (names.includes('breaker') ? state : undefined),
    close: () => {
      stack.close();
    },
  };
}

function failureOf(error: unknown): Failure | undefined {
  return error instanceof AttemptFailed ? error.failure : thrownFailure(error);
}

function reportRejection(kind: FailureKind, { clock, report }: Runtime): void {
  if (kind === 'timeout' || kind === 'breaker-open' || kind === 'bulkhead-full')
    report?.({ type: kind, atMs: clock.now() });
}
