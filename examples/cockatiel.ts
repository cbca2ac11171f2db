// A function around a call, with cockatiel: `npx tsx src/run.ts --pattern breaker,./examples/cockatiel.ts`.
import { setMaxListeners } from 'node:events';
import { circuitBreaker, handleAll, noop, SamplingBreaker, timeout, TimeoutStrategy, wrap } from 'cockatiel';
import type { CallWrapper } from 'wavetank';

/** `fetch` does not reject for a 500; the breaker has to see it as a failure all the same. */
class ServerError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the service answered ${status}`);
    this.status = status;
  }
}

// Calls without a signal, and those that have waited for a probe, all listen to one signal of cockatiel's own, of which
// Node would warn as of a leak.
void noop.execute(({ signal }) => {
  setMaxListeners(0, signal);
});

const policy = wrap(
  circuitBreaker(handleAll, {
    halfOpenAfter: 500,
    breaker: new SamplingBreaker({ threshold: 0.1, duration: 500, minimumRps: 20 }),
  }),
  timeout(1000, TimeoutStrategy.Aggressive),
);

export default ((call, caller) =>
  policy.execute(async ({ signal }) => {
    const response = await call(signal);
    if (response.status >= 500) throw new ServerError(response.status);
    return response;
  }, caller.signal)) satisfies CallWrapper;
