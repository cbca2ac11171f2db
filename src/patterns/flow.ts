/**
 * Flow: how a call goes through several layers with one promise for them all.
 *
 * A promise for each layer, with the closures around it, costs more than what most layers decide. So a layer of ours is
 * written as a flow: it hands on a sink, and the sink turns the outcome of what is next into what the layer's own caller
 * gets. `layerOf` makes of it the layer that works on sends. Where such a layer is put around another, their flows are
 * joined, and the reaction to the promise of the innermost send goes through all their sinks at once.
 */
import type { Call } from './call.ts';
import type { Layer, Send } from './layer.ts';
import { isOutcome, type Outcome, unknownKind } from './outcome.ts';

/** What a caller gets, at once or later. Rejected: something has thrown, which is a bug. */
export type Answer<Res> = Outcome<Res> | Promise<Outcome<Res>>;

/** Hears how a call ended: one of the two, once, and says what its caller gets. Neither ever throws. */
export interface Sink<Res> {
  settle(outcome: Outcome<Res>): Answer<Res>;
  /** Something has thrown. */
  crash(error: unknown): Answer<Res>;
}

/** Makes a call. The sink may hear of its end before this returns. */
export type Flow<Req, Res> = (request: Req, call: Call, sink: Sink<Res>) => Answer<Res>;

export type FlowLayer = <Req, Res>(next: Flow<Req, Res>) => Flow<Req, Res>;

/** The flow that a send was made of. */
const flowsBehind = new WeakMap<object, unknown>();

export function layerOf(layer: FlowLayer): Layer {
  return (next) => sendOf(layer(flowOf(next)));
}

/** The same as a send. */
export function sendOf<Req, Res>(flow: Flow<Req, Res>): Send<Req, Res> {
  const send: Send<Req, Res> = (request, call) =>
    Promise.resolve(enter(flow, request, call, outermost as Sink<Res>));
  flowsBehind.set(send, flow);
  return send;
}

/** Calls what is next, and lets its sink hear of a bug there, so that whatever was taken for the call is given back. */
export function enter<Req, Res>(
  next: Flow<Req, Res>,
  request: Req,
  call: Call,
  sink: Sink<Res>,
): Answer<Res> {
  try {
    return next(request, call, sink);
  } catch (error) {
    return sink.crash(bugOf(error));
  }
}

/** What a layer does when a call that it has let through ends, on the way outwards. */
export abstract class Step<Res> implements Sink<Res> {
  private readonly outer: Sink<Res>;

  constructor(outer: Sink<Res>) {
    this.outer = outer;
  }

  /** @param outcome Undefined: a bug has thrown. */
  protected abstract ended(outcome: Outcome<Res> | undefined): void;

  settle(outcome: Outcome<Res>): Answer<Res> {
    try {
      this.ended(outcome);
    } catch (error) {
      return this.outer.crash(error);
    }
    return this.outer.settle(outcome);
  }

  crash(error: unknown): Answer<Res> {
    try {
      this.ended(undefined);
    } catch {
      // The first error is the one to tell of.
    }
    return this.outer.crash(error);
  }
}

function flowOf<Req, Res>(send: Send<Req, Res>): Flow<Req, Res> {
  const known = flowsBehind.get(send) as Flow<Req, Res> | undefined;
  if (known !== undefined) return known;
  return (request, call, sink) => {
    // Bound: a closure and what it closes over take twice the memory, for as long as the call is pending.
    const hearEnd = reaction.hear.bind(sink as Sink<unknown>) as (end: unknown) => Answer<Res>;
    const sent: unknown = send(request, call);
    // Who has nothing to wait for, or writes no TypeScript, may return the outcome itself.
    if (sent instanceof Promise) return (sent as Promise<unknown>).then(hearEnd, hearEnd);
    return isThenable(sent) ? Promise.resolve(sent).then(hearEnd, hearEnd) : hearEnd(sent);
  };
}

/** A promise of another kind, or of another realm. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/**
 * A method and not a function: bundlers that keep the names of functions set them as a property, and V8 binds a function
 * with such a property four times slower (measured with esbuild's `keepNames` and Node 20).
 */
const reaction = {
  /**
   * Hears of an end, however it came. Fulfilled or rejected is all the same: what is an outcome is how the call ended, and
   * whatever else it is, a bug.
   */
  hear<Res>(this: Sink<Res>, end: unknown): Answer<Res> {
    return isOutcome<Res>(end) ? this.settle(end) : this.crash(bugOf(end));
  },
};

/** What to reject with: the error that was thrown, or one that says what was there in its place. */
function bugOf(end: unknown): unknown {
  const tag = Object.prototype.toString.call(end);
  // Errors of other realms, such as a test runner's, are no instances of this one's.
  if (end instanceof Error || tag === '[object Error]') return end;
  return new TypeError(
    `a send has to end with an outcome, as confirmed(value) or failed(kind) make it; this one returned or threw ${unknownKind(end) ?? tag}`,
    { cause: end },
  );
}

/** Where a call comes out of the layers. It is the same for all calls. */
export const outermost: Sink<unknown> = {
  settle: (outcome) => outcome,
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown, unchanged
  crash: (error) => Promise.reject(error),
};
