/** Fault: how a payment service goes wrong, as what it does at the turns of a payment and of time. */
import type { Outage } from './outage.ts';

export interface Fault {
  /** A payment has arrived; nothing is claimed. `hang`: it is never answered. `fail`: it gets a 500. */
  readonly arrival?: () => 'serve' | 'hang' | 'fail';
  /** How long the work between claim and charge takes, in ms. */
  readonly workMs?: () => number;
  /** It is charged. `disconnect`: its connection closes before the answer. */
  readonly charged?: () => 'answer' | 'disconnect';
  /** When the port is closed. */
  readonly refusal?: Outage;
  /** When the process is killed. */
  readonly deaths?: Deaths;
  /** When a restarted service is ready at the earliest, in ms since faults began. */
  readonly readyFromMs?: number;
}

/** All times in ms since faults began. */
export interface Deaths {
  readonly firstMs: number;
  /** From due date to due date; Infinity: there is one. */
  readonly everyMs: number;
  /** How long it does nothing at all, from the first payment after the due date on, before it is killed. */
  readonly frozenMs: number;
}

/** What a fault can know. */
export interface FaultContext {
  /** Milliseconds since faults began; negative before. */
  readonly elapsedMs: () => number;
  /** Milliseconds since this process began to serve. */
  readonly upMs: () => number;
  /** Whether this process was started after faults had begun: its predecessor has died of one. */
  readonly restarted: boolean;
  readonly random: () => number;
}
