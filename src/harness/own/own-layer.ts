/** Own layer: what a module of the user's exports, as a layer that survives whatever it does, and counts that. */
import type { Layer, Runtime } from '../../patterns/layer.ts';
import { isResponse } from '../../patterns/http-send.ts';
import { type Failure, failed, isOutcome, type Outcome } from '../../patterns/outcome.ts';
import { compose } from '../../patterns/pipeline.ts';
import type { OwnCall } from '../../patterns/own-stack.ts';
import { parseRetryAfter } from '../../patterns/retry-after.ts';
import { type Attempt, foreignLayer } from './foreign-layer.ts';
import type { OwnExport } from './own-export.ts';
import type { OwnFaults } from './own-faults.ts';
import { thrownFailure } from './thrown-failure.ts';

/** Makes the layer; what goes wrong in the module's code is counted in `faults`. */
export function ownLayer(own: OwnExport, runtime: Runtime, faults: OwnFaults): Layer {
  return own.kind === 'function'
    ? foreignLayer(
        (attempt, caller) => callThrough((call) => own.wrapper(call, caller), attempt, faults, runtime),
        runtime,
      )
    : watched(own.layers, runtime, faults);
}

/** Layers of the user's own keep to our rules, or nearly: one that throws or says nonsense has failed a call. */
function watched(layers: readonly Layer[], { clock }: Runtime, faults: OwnFaults): Layer {
  return (next) => {
    const send = compose(layers, next);
    return (request, call) =>
      faults.watch(clock.now(), async () => {
        try {
          const outcome: unknown = await send(request, call);
          if (isOutcome(outcome)) return outcome as Awaited<ReturnType<typeof next>>;
          faults.answeredWrong(outcome, 'an outcome');
        } catch (error) {
          faults.threw(error);
        }
        return failed('http-5xx');
      });
  };
}

/**
 * How the function's answer is read:
 *
 * - a response of an attempt: the attempt's outcome
 * - another response: by its status; below 400 `confirmed` if the last attempt was, else `shed`: nothing was paid
 * - an error of an attempt: the attempt's outcome; another one: see `thrownFailure`
 * - an error that says nothing: as the last attempt failed; if none failed, it is a fault of the function
 * - anything else is a fault
 */
async function callThrough<Res>(
  wrapper: (call: OwnCall) => Promise<Response>,
  attempt: Attempt<Res>,
  faults: OwnFaults,
  { clock, report }: Runtime,
): Promise<Outcome<Res>> {
  let last: Outcome<Res> | undefined;
  const outcomes = new WeakMap<object, Outcome<Res>>();
  const call: OwnCall = async (how) => {
    const signal = signalOf(how);
    const outcome = await attempt(signal);
    last = givenUp(outcome);
    const ended = responseOrError(outcome, signal);
    outcomes.set(ended, last);
    if (ended instanceof Response) return ended;
    throw ended;
  };
  const outcomeOf = (answer: Response): Outcome<Res> => {
    const known = outcomes.get(answer);
    if (known !== undefined) return known;
    if (answer.status < 400) return last?.ok === true ? last : failed('shed');
    return failed(answer.status >= 500 ? 'http-5xx' : 'http-4xx', {
      status: answer.status,
      retryAfterMs: retryAfterMs(answer),
    });
  };
  return faults.watch(clock.now(), async () => {
    try {
      const answer: unknown = await wrapper(call);
      if (isResponse(answer)) return outcomeOf(answer);
      faults.answeredWrong(answer, 'a Response');
    } catch (error) {
      const failure = thrownFailure(error, (one) => failureIn(outcomes.get(one))) ?? failureIn(last);
      if (failure !== undefined) {
        if (failure.kind === 'breaker-open' || failure.kind === 'bulkhead-full')
          report?.({ type: failure.kind, atMs: clock.now() });
        return failed(failure.kind, failure);
      }
      faults.threw(error);
    }
    return failed(last === undefined ? 'shed' : 'http-5xx');
  });
}

/**
 * An attempt that was cancelled was so by the function, whose time for it was up: a caller who takes the call back is
 * answered before, whatever the function does then.
 */
function givenUp<Res>(outcome: Outcome<Res>): Outcome<Res> {
  if (outcome.ok || outcome.failure.kind !== 'cancelled') return outcome;
  return failed('timeout', { reason: outcome.failure.reason });
}

function failureIn(outcome: Outcome<unknown> | undefined): Failure | undefined {
  return outcome?.ok === false ? outcome.failure : undefined;
}

/** What `call` was given: a signal, something with a signal in it, or something of no concern to us. */
function signalOf(how: unknown): AbortSignal | undefined {
  if (how instanceof AbortSignal) return how;
  if (typeof how !== 'object' || how === null || !('signal' in how)) return undefined;
  return how.signal instanceof AbortSignal ? how.signal : undefined;
}

/** The outcome of an attempt as `fetch` would have it end. */
function responseOrError(outcome: Outcome<unknown>, signal: AbortSignal | undefined): Response | Error {
  if (outcome.ok) return Response.json(outcome.value, { status: 201 });
  const { kind, status, retryAfterMs: waitMs } = outcome.failure;
  switch (kind) {
    case 'http-5xx':
    case 'http-4xx': {
      // A 2xx that is no receipt has failed, too.
      const shown = status !== undefined && status >= 400 && status < 600 ? status : 502;
      const headers: Record<string, string> =
        waitMs === undefined ? {} : { 'retry-after': String(Math.ceil(waitMs / 1000)) };
      return new Response(null, { status: shown, headers });
    }
    case 'timeout':
      return new DOMException('the attempt timeout of wavetank has struck', 'TimeoutError');
    case 'cancelled':
      return signal?.reason instanceof Error
        ? signal.reason
        : new DOMException('the attempt was aborted', 'AbortError');
    case 'refused':
    case 'reset':
    case 'breaker-open':
    case 'bulkhead-full':
    case 'queue-timeout':
    case 'rate-limited':
    case 'shed':
      return new TypeError('fetch failed', {
        cause: Object.assign(new Error(kind), { code: kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET' }),
      });
  }
}

function retryAfterMs({ headers }: { readonly headers?: unknown }): number | undefined {
  const text = headers instanceof Headers ? headers.get('retry-after') : null;
  return text === null ? undefined : parseRetryAfter(text, Date.now());
}
