/**
 * Cancellation: how a caller says that it no longer wants an answer, at next to no cost for a call that nobody cancels.
 *
 * An AbortController costs more than all the layers together, and `AbortSignal.any` and `AbortSignal.timeout` keep
 * memory for as long as their sources live. So a cancellation is a plain object: the usual single listener stands in its
 * field by itself, a set only once there is a second, an AbortController only when somebody asks for the signal.
 */

const ofSignals = new WeakMap<AbortSignal, Cancellation>();

/** Something that wants to hear of a cancellation: a child cancellation, or whatever a layer keeps for a call. */
export interface Cancellable {
  cancel(reason: unknown): void;
}

/** Stands for the reason of a cancellation that was not cancelled: a reason may be anything, undefined too. */
const notCancelled = Symbol('not cancelled');

export class Cancellation implements Cancellable {
  private given: unknown = notCancelled;
  private listeners: Cancellable | Set<Cancellable> | undefined = undefined;
  private controller: AbortController | undefined = undefined;

  /** Whether it was cancelled. It never becomes uncancelled. */
  get cancelled(): boolean {
    return this.given !== notCancelled;
  }

  /** What was given as the reason: that very value. Undefined if it was not cancelled. */
  get reason(): unknown {
    return this.cancelled ? this.given : undefined;
  }

  /**
   * The same thing as an AbortSignal, for libraries that know nothing else. Made when first asked for; aborted with the
   * same reason (with an AbortError, as ever, where the reason is undefined).
   */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.cancelled) this.controller.abort(this.given);
    }
    return this.controller.signal;
  }

  /**
   * Tells everyone who is linked, in the order in which they came, and lets them go. Only the first call counts.
   *
   * @throws What the first listener threw that did, once all have heard.
   */
  cancel(reason?: unknown): void {
    if (this.cancelled) return;
    this.given = reason;
    const { listeners } = this;
    const errors: unknown[] = [];
    // They stay in place meanwhile: one listener may unlink another whose turn is still to come.
    for (const listener of listeners instanceof Set ? listeners : [listeners]) {
      try {
        listener?.cancel(reason);
      } catch (error) {
        errors.push(error);
      }
    }
    this.listeners = undefined;
    this.controller?.abort(reason);
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
    const { listeners } = this;
    if (this.cancelled) child.cancel(this.given);
    else if (listeners === undefined) this.listeners = child;
    else if (listeners instanceof Set) listeners.add(child);
    else this.listeners = new Set([listeners, child]);
  }

  /** Undoes `link`. Harmless if it is not linked. */
  unlink(child: Cancellable): void {
    const { listeners } = this;
    if (listeners === child) this.listeners = undefined;
    else if (listeners instanceof Set) listeners.delete(child);
  }

  /**
   * The cancellation of a caller who holds an AbortSignal: always the same one for the same signal. So a signal has one
   * listener for its whole life, however many calls it is given to; a listener for each call would cost more than the call.
   */
  static of(signal: AbortSignal): Cancellation {
    const known = ofSignals.get(signal);
    if (known !== undefined) return known;
    const cancellation = new Cancellation();
    const abort = (): void => {
      cancellation.cancel(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    ofSignals.set(signal, cancellation);
    return cancellation;
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
