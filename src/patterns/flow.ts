/**
 * Flow: how a call goes through several layers with one promise for them all.
 *
 * A promise for each layer, with the closures around it, costs more than what most layers decide. So a layer of ours is
 * written as a flow, which tells a sink how the call ended and returns nothing; `layerOf` makes of it the layer that
 * works on sends. Where such a layer is put around another, their flows are joined: a whole stack has one promise at its
 * outer end and one reaction to the promise of the innermost send.
 */
import type { Call } from './call.ts';
import type { Layer, Send } from './layer.ts';
import type { Outcome } from './outcome.ts';

/** Hears how a call ended: one of the two, once. Neither ever throws. */
export interface Sink<Res> {
  settle(outcome: Outcome<Res>): void;
  /** Something has thrown, which is a bug. */
  crash(error: unknown): void;
}

/** Makes a call. It may tell the sink before it returns. */
export type Flow<Req, Res> = (request: Req, call: Call, sink: Sink<Res>) => void;

export type FlowLayer = <Req, Res>(next: Flow<Req, Res>) => Flow<Req, Res>;

/** The flow that a send was made of. */
const flowsBehind = new WeakMap<object, Flow<never, unknown>>();

export function layerOf(layer: FlowLayer): Layer {
  return (next) => sendOf(layer(flowOf(next)));
}

/** The same as a send. */
export function sendOf<Req, Res>(flow: Flow<Req, Res>): Send<Req, Res> {
  const send: Send<Req, Res> = (request, call) =>
    new Promise((resolve, reject) => {
      flow(request, call, new Landing(resolve, reject));
    });
  flowsBehind.set(send, flow);
  return send;
}

/** Calls what is next, and lets its sink hear of a bug there, so that whatever was taken for the call is given back. */
export function enter<Req, Res>(next: Flow<Req, Res>, request: Req, call: Call, sink: Sink<Res>): void {
  try {
    next(request, call, sink);
  } catch (error) {
    sink.crash(error);
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

  settle(outcome: Outcome<Res>): void {
    try {
      this.ended(outcome);
    } catch (error) {
      this.outer.crash(error);
      return;
    }
    this.outer.settle(outcome);
  }

  crash(error: unknown): void {
    try {
      this.ended(undefined);
    } catch {
      // The first error is the one to tell of.
    }
    this.outer.crash(error);
  }
}

function flowOf<Req, Res>(send: Send<Req, Res>): Flow<Req, Res> {
  const known = flowsBehind.get(send) as Flow<Req, Res> | undefined;
  if (known !== undefined) return known;
  return (request, call, sink) => {
    try {
      send(request, call).then(
        (outcome) => {
          sink.settle(outcome);
        },
        (error: unknown) => {
          sink.crash(error);
        },
      );
    } catch (error) {
      sink.crash(error);
    }
  };
}

/** Where a call comes out of the layers: the promise of whoever made it. */
class Landing<Res> implements Sink<Res> {
  private readonly resolve: (outcome: Outcome<Res>) => void;
  private readonly reject: (error: unknown) => void;

  constructor(resolve: (outcome: Outcome<Res>) => void, reject: (error: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }

  settle(outcome: Outcome<Res>): void {
    this.resolve(outcome);
  }

  crash(error: unknown): void {
    this.reject(error);
  }
}
