/**
 * Cancellation: how a caller says that it no longer wants an answer, at next to no cost for a call that nobody cancels.
 *
 * An AbortController costs more than all the layers together, and `AbortSignal.any` and `AbortSignal.timeout` keep
 * memory for as long as their sources live. So a cancellation is a plain object: the usual single listener stands in its
 * field by itself, a set only once there is a second, an AbortController only when somebody asks for the signal: then it is
 * one of the listeners.
 */
import { Fifo, isInLine, type Linked, leaveLine } from './fifo.ts';

const ofSignals = new WeakMap<AbortSignal, Cancellation>();

/** Something that wants to hear of a cancellation: a child cancellation, or whatever a layer keeps for a call. */
export interface Cancellable {
  cancel(reason: unknown): void;
}

/** Nobody, one, or several. */
type Listeners = Cancellable | Set<Cancellable> | undefined;

/** Passes a cancellation on to those who know nothing but AbortSignals. */
class AbortListener implements Cancellable {
  private readonly controller = new AbortController();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  cancel(reason: unknown): void {
    this.controller.abort(reason);
  }
}

/** What a cancellation has in the place of its listeners once it is cancelled. */
class Told {
  readonly reason: unknown;
  /** Who is still to hear of it, or is hearing: one listener may unlink another whose turn is to come. */
  readonly listeners: Set<Cancellable>;
  abortListener: AbortListener | undefined;

  constructor(reason: unknown, listeners: Listeners) {
    this.reason = reason;
    this.listeners =
      listeners instanceof Set ? listeners : new Set(listeners === undefined ? [] : [listeners]);
    this.abortListener = abortListenerIn(listeners);
  }
}

function abortListenerIn(listeners: Listeners): AbortListener | undefined {
  if (listeners instanceof AbortListener) return listeners;
  if (!(listeners instanceof Set)) return undefined;
  for (const listener of listeners) if (listener instanceof AbortListener) return listener;
  return undefined;
}

export class Cancellation implements Cancellable {
  /** Its listeners, or that they were told. One field for it all, because there is one for each pending call. */
  private state: Listeners | Told = undefined;

  /** Whether it was cancelled. It never becomes uncancelled. */
  get cancelled(): boolean {
    return this.state instanceof Told;
  }

  /** What was given as the reason: that very value. Undefined if it was not cancelled. */
  get reason(): unknown {
    return this.state instanceof Told ? this.state.reason : undefined;
  }

  /**
   * The same thing as an AbortSignal, for libraries that know nothing else. Made when first asked for; aborted with the
   * same reason (with an AbortError, as ever, where the reason is undefined).
   */
  get signal(): AbortSignal {
    const { state } = this;
    const known = state instanceof Told ? state.abortListener : abortListenerIn(state);
    if (known !== undefined) return known.signal;
    const made = new AbortListener();
    this.link(made);
    if (state instanceof Told) state.abortListener = made;
    return made.signal;
  }

  /**
   * Tells everyone who is linked, in the order in which they came, and lets them go. Only the first call counts.
   *
   * @throws What the first listener threw that did, once all have heard.
   */
  cancel(reason?: unknown): void {
    if (this.state instanceof Told) return;
    const told = new Told(reason, this.state);
    this.state = told;
    const errors: unknown[] = [];
    for (const listener of told.listeners) {
      try {
        listener.cancel(reason);
      } catch (error) {
        errors.push(error);
      }
    }
    told.listeners.clear();
    if (errors.length > 0) throw errors[0];
  }

  /**
   * Calls `listener` once, with the reason, when this is cancelled: at once, before this returns, if it already is.
   * Returns a function that takes the listener away (harmless afterwards); every way out of a call has to use it.
   */
  onCancel(listener: (reason: unknown) => void): () => void {
    const link: Cancellable = { cancel: listener };
    this.link(link);
    return () => {
      this.unlink(link);
    };
  }

  /** The same without a closure: cancels `child` when this is cancelled, at once if it already is. */
  link(child: Cancellable): void {
    const { state } = this;
    if (state instanceof Told) child.cancel(state.reason);
    else if (state === undefined) this.state = child;
    else if (state instanceof Set) state.add(child);
    else this.state = new Set([state, child]);
  }

  /** Undoes `link`. Harmless if it is not linked. */
  unlink(child: Cancellable): void {
    const { state } = this;
    if (state === child) this.state = undefined;
    else if (state instanceof Told) state.listeners.delete(child);
    else if (state instanceof Set) state.delete(child);
  }

  /**
   * The cancellation of a caller who holds an AbortSignal: always the same one for the same signal. So a signal has one
   * listener, however many calls it is given to; a listener for each call would cost more than the call.
   */
  static of(signal: AbortSignal): Cancellation {
    const known = ofSignals.get(signal);
    if (known !== undefined) return known;
    const cancellation = new SignalCancellation(signal);
    ofSignals.set(signal, cancellation);
    return cancellation;
  }

  /** Cancels it, for a kind whose `cancel` is not for everybody. */
  protected tell(reason: unknown): void {
    Cancellation.prototype.cancel.call(this, reason);
  }

  protected get isLinked(): boolean {
    const { state } = this;
    return state instanceof Set ? state.size > 0 : state !== undefined && !(state instanceof Told);
  }
}

/** Signals that are listened to although no call with them is under way; who has been idle longest is let go first. */
const idleSignals = new Fifo<SignalCancellation>();
const idleSignalsMax = 16;
let idleSignalsCount = 0;

/**
 * That of a signal. It listens while calls are linked to it, and a while longer, so that one signal for all calls costs
 * one listener in all. Not for ever: Node keeps a signal of `AbortSignal.any` or `AbortSignal.timeout` alive for as long as
 * somebody listens, and there may be one for each call.
 */
class SignalCancellation extends Cancellation implements Linked {
  earlier: Linked | undefined = undefined;
  later: Linked | undefined = undefined;
  private readonly source: AbortSignal;
  private isListening = false;

  constructor(source: AbortSignal) {
    super();
    this.source = source;
  }

  override get cancelled(): boolean {
    this.catchUp();
    return super.cancelled;
  }

  override get reason(): unknown {
    this.catchUp();
    return super.reason;
  }

  override get signal(): AbortSignal {
    return this.source;
  }

  /** @throws Error Always: the signal is its caller's, who may have given it to other calls as well. */
  override cancel(): void {
    throw new Error('a call that was made with a signal is taken back by aborting the signal');
  }

  override link(child: Cancellable): void {
    this.catchUp();
    super.link(child);
    this.leaveIdle();
    if (!this.isListening && this.isLinked) {
      this.isListening = true;
      this.source.addEventListener('abort', this.heard, { once: true });
    }
  }

  override unlink(child: Cancellable): void {
    super.unlink(child);
    if (!this.isListening || this.isLinked || isInLine(this)) return;
    idleSignals.push(this);
    idleSignalsCount += 1;
    const { first } = idleSignals;
    if (idleSignalsCount <= idleSignalsMax || first === undefined) return;
    first.leaveIdle();
    first.isListening = false;
    first.source.removeEventListener('abort', first.heard);
  }

  private readonly heard = (): void => {
    this.isListening = false;
    this.leaveIdle();
    this.tell(this.source.reason);
  };

  private leaveIdle(): void {
    if (!isInLine(this)) return;
    leaveLine(this);
    idleSignalsCount -= 1;
  }

  /** It may have been aborted while nobody listened. */
  private catchUp(): void {
    if (this.source.aborted) this.tell(this.source.reason);
  }
}

/** What nobody ever cancels: it keeps nothing of those who are linked to it, so all calls without a caller's own share it. */
class NeverCancelled extends Cancellation {
  override get signal(): AbortSignal {
    // One for each who asks: listeners that somebody forgets must not add up.
    return new AbortController().signal;
  }

  override cancel(): void {
    throw new Error('this call was made without a way to cancel it');
  }

  override link(): void {
    // Would never be called.
  }

  override unlink(): void {
    // Was not linked.
  }
}

export const neverCancelled: Cancellation = new NeverCancelled();
