/** Gateway plan: what the gateway's thread is told, and what it reports. */
import type { MessagePort } from 'node:worker_threads';
import type { BreakerState, PolicyEventType } from '../patterns/events.ts';
import type { LoopDelayReport } from './loop-delay.ts';
import type { MeasuredStack } from './measured-stack.ts';
import type { RateLimitPlan } from './rate-limit-plan.ts';

export interface GatewayPlan {
  readonly stack: MeasuredStack;
  readonly seed: number;
  /** Addresses of the services behind it: `http://127.0.0.1:20123`. */
  readonly origins: { readonly payments: string; readonly users: string };
  /** Port to listen on; 0 takes any free one. */
  readonly port: number;
  /** Null: nobody is turned away. */
  readonly rateLimit: RateLimitPlan | null;
  readonly sampleEveryMs: number;
  /** Whether the attempts of each order are reported too. */
  readonly attemptsById: boolean;
  /** Pulses for the gateway's own loop; has to be in the transfer list. */
  readonly pulses: MessagePort;
}

export type ToGateway =
  /** Once, first: the thread loads its code before the address of the service is known. */
  | { readonly type: 'start'; readonly plan: GatewayPlan }
  /** The measured window, on the clock that all threads share. Orders that arrive in it are measured. */
  | { readonly type: 'window'; readonly fromMs: number; readonly toMs: number }
  /** Ends the window early. */
  | { readonly type: 'end-window'; readonly atMs: number }
  /** Report at the end of the window, and close. */
  | { readonly type: 'stop' };

export type FromGateway =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'sample'; readonly sample: GatewaySample }
  | { readonly type: 'report'; readonly report: GatewayReport }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly code: string | undefined; readonly message: string };

export interface GatewaySample {
  readonly atMs: number;
  /** Orders inside the gateway. */
  readonly inFlight: number;
  readonly breakerState: BreakerState | null;
  /** Of the pulses since the last sample. Null: none came. */
  readonly loopDelayP99Us: number | null;
}

export interface BreakerTransition {
  readonly atMs: number;
  readonly from: BreakerState;
  readonly to: BreakerState;
}

export interface GatewayReport {
  readonly loop: LoopDelayReport;
  /** Orders that arrived in the window and were not turned away at the door. */
  readonly orders: number;
  /** Calls of the payment service on their behalf. */
  readonly attempts: number;
  /** The attempts of every order that had one, of the window or not, by order id; empty unless asked for. */
  readonly attemptsById: ReadonlyMap<string, number>;
  /** What a call through the stack costs by itself, in ns. Null: its layers are not ours. */
  readonly stackCostNs: number | null;
  /** How many retries of the window were due within 5 ms of the average one of them, itself included; 0: there were none. */
  readonly retryCrowd: number;
  /** Policy events of the window, by type: those of the door, and of the stack that orders go through. */
  readonly events: Readonly<Partial<Record<PolicyEventType, number>>>;
  /** The same of the calls of the user service, which go through a stack of their own. */
  readonly userEvents: Readonly<Partial<Record<PolicyEventType, number>>>;
  readonly hasBreaker: boolean;
  /** What was wrong with a module of the user's, a line each. */
  readonly ownFaults: readonly string[];
  /** All transitions of the breaker, the warm-up's too. */
  readonly transitions: readonly BreakerTransition[];
  /** The first success of the service after each change to half-open. */
  readonly healthyAtMs: readonly number[];
}
