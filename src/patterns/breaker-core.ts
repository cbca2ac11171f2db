/** Breaker core: the state machine of the circuit breaker, which knows of no promises and no timers. */
import type { Millis } from './clock.ts';
import type { BreakerState, PolicyEvent } from './events.ts';
import { Fifo, isInLine, type Linked, leaveLine } from './fifo.ts';
import { count, ms, msOrOff, share } from './option.ts';
import type { OptionsIn } from './option-set.ts';
import { RollingWindow } from './rolling-window.ts';
import type { Verdict } from './verdict.ts';

/** What can be set on a breaker, with defaults, units and limits. */
export const breakerOptions = {
  windowMs: ms(500, 10, 'how far back calls count, in ten steps'),
  failureRate: share(0.1, 0.001, 'share of failed calls in the window that opens it'),
  callsMin: count(10, 1, 'fewest calls in the window before the share means anything'),
  openMs: ms(500, 1, 'how long it stays open before it lets probes through'),
  probesMax: count(5, 1, 'probes while half-open; it closes when all have succeeded'),
  leaseMs: ms(
    3000,
    1,
    'longest that a probe may take, where slowMs is not shorter; then it counts as failed',
  ),
  slowMs: msOrOff(
    100,
    1,
    'a call that takes this long, waiting in a bulkhead inside included, counts as failed at that moment',
  ),
};

export type BreakerOptions = OptionsIn<typeof breakerOptions>;

/** An admitted call; or all those of an epoch that cannot fall due, which need not be told apart. */
export interface Permit extends Linked {
  /** The number of the state in which it was admitted. */
  readonly epoch: number;
  /** When it counts as failed although it has not ended. */
  readonly dueMs: Millis;
}

/**
 * ```
 * closed ──(share of failures in the window)──▶ open
 * open ──(openMs)──▶ half-open
 * half-open ──(probesMax probes, all succeed)──▶ closed
 * half-open ──(any probe fails, or outlasts its lease)──▶ open
 * ```
 *
 * Its state is a function of what happened and of `now`; asking changes nothing. Whatever falls due between two calls
 * (the end of the open time, a lease, a call that has become slow) is made up for, in order and dated to its own moment,
 * before anything else happens. Every state has a number, its epoch; a result counts only in the epoch of its permit.
 *
 * Work and memory per call are constant. `now` must not run backwards.
 */
export class BreakerCore {
  private readonly options: BreakerOptions;
  private readonly report: ((event: PolicyEvent) => void) | undefined;
  private readonly slowMs: Millis;
  private readonly window: RollingWindow;
  /** Calls of this epoch that may still fall due. All of an epoch have the same limit, so they stand in order. */
  private readonly watched = new Fifo<Permit>();
  private current: BreakerState = 'closed';
  private epoch = 0;
  /** The permit of every call that is made now, whenever now is. Undefined: `admit` has to decide. */
  standing: Permit | undefined;
  private openUntilMs: Millis = 0;
  private probesAdmitted = 0;
  private probesSucceeded = 0;

  constructor(options: BreakerOptions, report?: (event: PolicyEvent) => void) {
    this.options = options;
    this.report = report;
    this.slowMs = options.slowMs === 'off' ? Infinity : options.slowMs;
    this.window = new RollingWindow(options.windowMs);
    this.standing = this.standingPermit();
  }

  state(now: Millis): BreakerState {
    this.catchUp(now);
    return this.current;
  }

  /** What is left of the open time. Undefined when it is not open: how long probes take, nobody knows. */
  openForMs(now: Millis): Millis | undefined {
    this.catchUp(now);
    return this.current === 'open' ? this.openUntilMs - now : undefined;
  }

  /** A permit for one call, which has to be settled; undefined if the call must not be made. */
  admit(now: Millis): Permit | undefined {
    this.catchUp(now);
    if (this.standing !== undefined) return this.standing;
    if (this.current === 'open') return undefined;
    let limitMs = this.slowMs;
    if (this.current === 'half-open') {
      if (this.probesAdmitted >= this.options.probesMax) return undefined;
      this.probesAdmitted += 1;
      limitMs = Math.min(limitMs, this.options.leaseMs);
    }
    const permit: Permit = {
      epoch: this.epoch,
      dueMs: now + limitMs,
      earlier: undefined,
      later: undefined,
    };
    this.watched.push(permit);
    return permit;
  }

  /** Gives a permit back with what became of its call. Once per admitted call. */
  settle(permit: Permit, verdict: Verdict, now: Millis): void {
    this.catchUp(now);
    if (permit.epoch !== this.epoch) {
      this.report?.({ type: 'breaker-stale', atMs: now });
      return;
    }
    if (isInLine(permit)) {
      leaveLine(permit);
    } else if (permit.dueMs < Infinity) {
      // It was counted as slow when its limit passed.
      return;
    }
    if (this.current === 'closed') this.countCall(verdict, now);
    else this.countProbe(verdict, now);
  }

  /** Opens it by hand; if it is open, the open time starts again. */
  trip(now: Millis): void {
    this.catchUp(now);
    if (this.current === 'open') this.openUntilMs = now + this.options.openMs;
    else this.enter('open', now);
  }

  private countCall(verdict: Verdict, now: Millis): void {
    if (verdict === 'excluded') return;
    this.window.add(now, verdict === 'failure');
    // A call that went well is no reason to stop, so only a failure opens.
    if (verdict === 'failure' && this.isFailing(now)) this.enter('open', now);
  }

  private isFailing(now: Millis): boolean {
    const calls = this.window.callsAt(now);
    return calls >= this.options.callsMin && this.window.failuresAt(now) / calls >= this.options.failureRate;
  }

  private countProbe(verdict: Verdict, now: Millis): void {
    if (verdict === 'failure') {
      this.enter('open', now);
    } else if (verdict === 'excluded') {
      this.probesAdmitted -= 1;
    } else {
      this.probesSucceeded += 1;
      if (this.probesSucceeded === this.options.probesMax) this.enter('closed', now);
    }
  }

  /** Makes up for what fell due since the last time. */
  private catchUp(now: Millis): void {
    for (;;) {
      if (this.current === 'open') {
        if (now < this.openUntilMs) return;
        this.enter('half-open', this.openUntilMs);
      }
      const first = this.watched.first;
      if (first === undefined || first.dueMs > now) return;
      leaveLine(first);
      if (this.current === 'closed') {
        this.countCall('failure', first.dueMs);
      } else {
        // A listener that throws must not cost the probe.
        try {
          if (this.options.leaseMs <= this.slowMs)
            this.report?.({ type: 'breaker-lease-expired', atMs: first.dueMs });
        } finally {
          this.countProbe('failure', first.dueMs);
        }
      }
    }
  }

  /** While closed a call without a limit is admitted in any case, and need not be told apart from the others. */
  private standingPermit(): Permit | undefined {
    if (this.current !== 'closed' || this.slowMs < Infinity) return undefined;
    return { epoch: this.epoch, dueMs: Infinity, earlier: undefined, later: undefined };
  }

  private enter(state: BreakerState, atMs: Millis): void {
    const from = this.current;
    this.current = state;
    this.epoch += 1;
    this.standing = this.standingPermit();
    // One by one, so that a call that never ends keeps nothing of the others alive. Each leaves once: constant per call.
    for (let first = this.watched.first; first !== undefined; first = this.watched.first) leaveLine(first);
    if (state === 'open') this.openUntilMs = atMs + this.options.openMs;
    if (state === 'closed') this.window.clear();
    this.probesAdmitted = 0;
    this.probesSucceeded = 0;
    this.report?.({ type: 'breaker-transition', atMs, from, to: state });
  }
}
