/** Foreign layer: code that knows nothing of our layers, such as another library's, as one of them. */
import { type Call, callWith } from '../../patterns/call.ts';
import { type Cancellable, Cancellation } from '../../patterns/cancellation.ts';
import type { Layer, Runtime, Send } from '../../patterns/layer.ts';
import { failed, type Outcome } from '../../patterns/outcome.ts';

/** Makes one attempt. Never rejects; when the signal aborts, its socket closes. */
export type Attempt<Res> = (signal?: AbortSignal) => Promise<Outcome<Res>>;

/** Where to ask for a signal that says that the caller has taken the call back; one is made only for who asks. */
export interface Caller {
  readonly signal: AbortSignal;
}

/** Makes a call by as many attempts as it likes, and says how it ended. Never rejects. */
export type Through = <Res>(attempt: Attempt<Res>, caller: Caller) => Promise<Outcome<Res>>;

/**
 * A caller who takes the call back is answered at once and every attempt ends, whether `through` knows of it or not.
 * Attempts that are still under way when the call is answered are reported as zombies.
 */
export function foreignLayer(through: Through, { clock, report }: Runtime): Layer {
  return (next) => (request, call) => {
    const { cancellation } = call;
    if (cancellation.cancelled) return Promise.resolve(failed('cancelled', { reason: cancellation.reason }));
    return new Promise((resolve, reject) => {
      const running = new Set<Cancellation>();
      let answered = false;
      const answer = (outcome: Outcome<never>): void => {
        if (answered) return;
        answered = true;
        unlink();
        if (report !== undefined) {
          for (let zombies = running.size; zombies > 0; zombies -= 1)
            report({ type: 'zombie', atMs: clock.now() });
        }
        resolve(outcome);
      };
      const unlink = cancellation.onCancel((reason) => {
        for (const attempt of [...running]) {
          running.delete(attempt);
          attempt.cancel(reason);
        }
        answer(failed('cancelled', { reason }));
      });
      through((signal) => {
        if (cancellation.cancelled)
          return Promise.resolve(failed('cancelled', { reason: cancellation.reason }));
        return attemptOf(next, request, call, running, signal);
      }, cancellation).then(answer as (outcome: Outcome<unknown>) => void, reject);
    });
  };
}

/** One attempt under a cancellation of its own, which is among those that run until it has ended or is given up. */
async function attemptOf<Req, Res>(
  next: Send<Req, Res>,
  request: Req,
  call: Call,
  running: Set<Cancellation>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Res>> {
  const attempt = new Cancellation();
  const ends: Cancellable = {
    cancel(reason) {
      running.delete(attempt);
      attempt.cancel(reason);
    },
  };
  if (signal?.aborted === true) return failed('cancelled', { reason: signal.reason });
  // Not a listener for each attempt: a library may give all of them the same signal.
  const given = signal && Cancellation.of(signal);
  given?.link(ends);
  running.add(attempt);
  try {
    return await next(request, callWith(call, attempt, call.work));
  } finally {
    running.delete(attempt);
    given?.unlink(ends);
  }
}
