/** Fault timers: carries out what a fault does by time alone, whatever is asked of the service. */
import type { Clock } from '../../patterns/clock.ts';
import type { Fault } from './fault.ts';
import { isOut, nextTurnMs } from './outage.ts';

export interface FaultActions {
  /** Closes the port and every connection. */
  readonly refuse: () => void;
  /** Opens the port again. */
  readonly listen: () => void;
  /** Ends this process at once, by SIGKILL. */
  readonly die: () => void;
}

/** How long a death that is due waits for a payment to strike. */
export const deathWaitMs = 100;

/** A service's fault in the course of time. */
export class FaultTimers {
  private readonly fault: Fault;
  private readonly clock: Clock;
  private readonly actions: FaultActions;
  private dying = false;
  /** Whether the port is closed. */
  refusing = false;

  constructor(fault: Fault, clock: Clock, actions: FaultActions) {
    this.fault = fault;
    this.clock = clock;
    this.actions = actions;
  }

  /** Faults begin, or began, at `fromMs` on the clock. Called once. */
  begin(fromMs: number): void {
    const { refusal, deathEveryMs } = this.fault;
    const elapsedMs = () => this.clock.now() - fromMs;
    if (deathEveryMs !== undefined) {
      // A restarted service whose due date passed while it was not there waits for the next one.
      const dueMs = (Math.floor(Math.max(0, elapsedMs()) / deathEveryMs) + 1) * deathEveryMs;
      this.clock.after(dueMs - elapsedMs(), () => {
        this.dying = true;
        this.clock.after(deathWaitMs, this.actions.die);
      });
    }
    if (refusal === undefined) return;
    const turn = (): void => {
      const nowMs = elapsedMs();
      const out = isOut(refusal, nowMs);
      if (out !== this.refusing) {
        this.refusing = out;
        if (out) this.actions.refuse();
        else this.actions.listen();
      }
      const nextMs = nextTurnMs(refusal, nowMs);
      if (nextMs < Infinity) this.clock.after(nextMs - nowMs, turn);
    };
    turn();
  }

  /** A payment stands between claim and charge. Does not return if a death is due. */
  claimed(): void {
    if (this.dying) this.actions.die();
  }
}
