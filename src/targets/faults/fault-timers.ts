/** Fault timers: carries out what a fault does by time alone, whatever is asked of the service. */
import type { Clock } from '../../patterns/clock.ts';
import type { Deaths, Fault } from './fault.ts';
import { isOut, nextTurnMs } from './outage.ts';

export interface FaultActions {
  /** Closes the port and every connection. */
  readonly refuse: () => void;
  /** Opens the port again. */
  readonly listen: () => void;
  /** Does nothing at all for so long, and then ends this process, by SIGKILL. */
  readonly die: (frozenMs: number) => void;
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
    const { refusal, deaths } = this.fault;
    const elapsedMs = () => this.clock.now() - fromMs;
    // A restarted service whose due date passed while it was not there waits for the next one.
    const dueMs = deaths === undefined ? Infinity : nextDeathMs(deaths, elapsedMs());
    if (dueMs < Infinity) {
      this.clock.after(dueMs - elapsedMs(), () => {
        this.dying = true;
        this.clock.after(deathWaitMs, () => {
          this.die();
        });
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
    if (this.dying) this.die();
  }

  private die(): void {
    this.actions.die(this.fault.deaths?.frozenMs ?? 0);
  }
}

/** The first due date after this moment; Infinity: there is none. */
function nextDeathMs({ firstMs, everyMs }: Deaths, elapsedMs: number): number {
  if (elapsedMs < firstMs) return firstMs;
  if (everyMs === Infinity) return Infinity;
  return firstMs + (Math.floor((elapsedMs - firstMs) / everyMs) + 1) * everyMs;
}
