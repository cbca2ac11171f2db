/** Guarded: calls the next layer so that there is one way in which a bug comes back from it. */
import type { Call } from './call.ts';
import type { Send } from './layer.ts';
import type { Outcome } from './outcome.ts';

/** A `Send` must neither throw nor reject. If one throws all the same, the caller gets a rejection: one way to clean up after. */
export function guarded<Req, Res>(next: Send<Req, Res>, request: Req, call: Call): Promise<Outcome<Res>> {
  try {
    return next(request, call);
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown, unchanged
    return Promise.reject(error);
  }
}
