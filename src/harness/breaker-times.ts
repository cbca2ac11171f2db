/** Breaker times: how long a breaker was open, and how fast it followed the life of the service. Pure. */
import type { BreakerState } from '../patterns/events.ts';
import type { BreakerResult } from './result.ts';

interface Transition {
  readonly atMs: number;
  readonly from: BreakerState;
  readonly to: BreakerState;
}

export interface BreakerHistory {
  /** In order of time; all moments relative to the start of the window. */
  readonly transitions: readonly Transition[];
  /** When the service stopped answering for good: at a death, or when it froze before it. */
  readonly outagesAtMs: readonly number[];
  readonly readyAtMs: readonly number[];
  /** The first success of the service after each change to half-open. */
  readonly healthyAtMs: readonly number[];
  readonly windowMs: number;
}

/**
 * Time to open runs from the start of an outage to the next opening, and is 0 where the breaker was open already. Time
 * to recover runs from a restarted service's first readiness, if the breaker was not closed then, to the next closing;
 * time to close from the first healthy answer after that readiness. None is counted when the service's next turn of fate
 * came first, nor outside the window.
 */
export function breakerTimes(history: BreakerHistory): BreakerResult {
  const { transitions, outagesAtMs, readyAtMs, healthyAtMs, windowMs } = history;
  const inWindow = (atMs: number) => atMs >= 0 && atMs < windowMs;

  const timesTo = (
    to: BreakerState,
    starts: readonly number[],
    interrupts: readonly number[],
    from: (state: BreakerState) => boolean,
  ) =>
    starts
      .filter((atMs) => inWindow(atMs) && from(stateAt(transitions, atMs)))
      .flatMap((startMs) => {
        const end = transitions.find((transition) => transition.atMs >= startMs && transition.to === to);
        const interrupted = interrupts.find((atMs) => atMs > startMs) ?? Infinity;
        const counts = end !== undefined && end.atMs <= Math.min(interrupted, windowMs);
        return counts ? [{ startMs, endMs: end.atMs }] : [];
      });
  const lengthOf = ({ startMs, endMs }: { startMs: number; endMs: number }) => endMs - startMs;
  const recoveries = timesTo('closed', readyAtMs, outagesAtMs, (state) => state !== 'closed');

  return {
    transitions: [...transitions],
    openMs: notClosedMs(transitions, windowMs),
    timeToOpenMs: [
      ...outagesAtMs.filter((atMs) => inWindow(atMs) && stateAt(transitions, atMs) !== 'closed').map(() => 0),
      ...timesTo('open', outagesAtMs, readyAtMs, (state) => state === 'closed').map(lengthOf),
    ],
    timeToRecoverMs: recoveries.map(lengthOf),
    timeToCloseMs: recoveries.flatMap(({ startMs, endMs }) => {
      const healthyMs = healthyAtMs.find((atMs) => atMs >= startMs && atMs <= endMs);
      return healthyMs === undefined ? [] : [endMs - healthyMs];
    }),
  };
}

/** The state just before `atMs`; a breaker starts closed. */
function stateAt(transitions: readonly Transition[], atMs: number): BreakerState {
  return transitions.findLast((transition) => transition.atMs < atMs)?.to ?? 'closed';
}

function notClosedMs(transitions: readonly Transition[], windowMs: number): number {
  const clamp = (atMs: number) => Math.min(Math.max(atMs, 0), windowMs);
  let total = 0;
  for (const [index, { atMs, to }] of transitions.entries()) {
    if (to !== 'closed') total += clamp(transitions[index + 1]?.atMs ?? windowMs) - clamp(atMs);
  }
  return total;
}
