/** Gateway plan: what the gateway's thread is told when it starts, and what it and the trial say to each other. */
import type { MessagePort } from 'node:worker_threads';
import type { BreakerState, PolicyEventType } from '../patterns/events.ts';
import type { StackPlan } from '../patterns/stack.ts';
import type { LoopDelayReport } from './loop-delay.ts';

export interface GatewayPlan {
  readonly stack: StackPlan;
  readonly seed: number;
  readonly upstream: { readonly host: string; readonly port: number };
  /** Port to listen on; 0 takes any free one. */
  readonly port: number;
  /** Sockets towards the payment service. */
  readonly connections: number;
  readonly sampleEveryMs: number;
  /** Where the pulses arrive that measure the delay of the gateway's loop. */
  readonly pulsePort: MessagePort;
}

export type ToGateway =
  /** The measured window, on the clock that all threads share. Orders that arrive in it are measured. */
  | { readonly type: 'window'; readonly fromMs: number; readonly toMs: number }
  /** Report, close and end. */
  | { readonly type: 'stop' };

export type FromGateway =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'sample'; readonly sample: GatewaySample }
  | { readonly type: 'report'; readonly report: GatewayReport }
  | { readonly type: 'failed'; readonly code: string | undefined; readonly message: string };

export interface GatewaySample {
  readonly atMs: number;
  /** Orders inside the gateway. */
  readonly inFlight: number;
  readonly breakerState: BreakerState | null;
  /** Of the pulses since the last sample. Null: none came. */
  readonly loopDelayP99Us: number | null;
}

export interface GatewayReport {
  readonly loopDelay: LoopDelayReport;
  /** Orders that arrived in the window. */
  readonly orders: number;
  /** Calls of the payment service on their behalf. */
  readonly attempts: number;
  /** Policy events of the window, by type. */
  readonly events: Partial<Record<PolicyEventType, number>>;
  /** All transitions of the breaker, the warm-up's too. */
  readonly transitions: readonly {
    readonly atMs: number;
    readonly from: BreakerState;
    readonly to: BreakerState;
  }[];
}
