/** Target plan: what is to be known to run the payment service, as plain data, and the messages it exchanges with its supervisor. */

import { hasType } from './typed-message.ts';
import type { ExternalTarget } from './external-target.ts';
import { type FaultPlan, faultPlan } from './target-options.ts';
import { mebibyte } from './units.ts';

/** What each charge makes the service retain: objects on V8's heap, or Buffers outside of it (resident memory). */
export type LeakKind = 'heap' | 'rss';

/**
 * What the service's address does while nobody serves it: `hang` accepts connections and never answers them, as the
 * address of a dead container does; `refuse` has no listener (ECONNREFUSED).
 */
export type DownBehaviour = 'hang' | 'refuse';

/** When a dead service is started again. `doubling` is Docker's rule with its numbers in `dockerRestart`. */
export type RestartPolicy =
  | { readonly kind: 'constant'; readonly delayMs: number }
  | {
      readonly kind: 'doubling';
      readonly firstMs: number;
      /** No delay is longer. */
      readonly capMs: number;
      /** A run of this length starts again from `firstMs`. */
      readonly resetAfterMs: number;
    };

export interface TargetPlan {
  readonly fault: FaultPlan;
  /** Of what the fault leaves to chance. */
  readonly seed: number;
  /** Whether a payment without an Idempotency-Key gets 400. */
  readonly keyRequired: boolean;
  readonly leak: LeakKind;
  /** Retained by each charge. 0 leaks nothing. */
  readonly leakBytes: number;
  /** Retained per second whatever is asked of it, as a leak in a timer or a cache would. 0: nothing. */
  readonly idleLeakBytesPerS: number;
  /** The limit of V8's old space (`--max-old-space-size`): a whole number of MiB. */
  readonly heapBytes: number;
  /** Leak `rss` only: resident memory at which the supervisor kills the service, or at which it begins to swap. */
  readonly memoryLimitBytes: number;
  /**
   * Leak `rss` only: what the service may have beyond the limit before it is killed. 0: it is killed at the limit.
   * Docker's own default is as much again as the limit.
   */
  readonly swapBytes: number;
  /** Beyond the limit each charge blocks the service for the bytes it leaks over this rate. See `targets/swap.ts`. */
  readonly swapBytesPerS: number;
  readonly down: DownBehaviour;
  readonly restart: RestartPolicy;
}

/** What payments go to: a service that is started here, or one that the user runs. */
export type Target = TargetPlan | ExternalTarget;

export function isExternal(target: object): target is ExternalTarget {
  return 'origin' in target;
}

export const defaultTargetPlan: TargetPlan = {
  fault: faultPlan('leaky'),
  seed: 1,
  keyRequired: false,
  leak: 'heap',
  leakBytes: 64 * 1024,
  idleLeakBytesPerS: 8 * mebibyte,
  heapBytes: 64 * mebibyte,
  memoryLimitBytes: 256 * mebibyte,
  swapBytes: 0,
  swapBytesPerS: 4 * mebibyte,
  down: 'hang',
  restart: { kind: 'constant', delayMs: 1000 },
};

/** Whether the service leaks to its death, and so burns all the CPU that it gets in garbage collections that get nowhere. */
export function thrashes({ fault, leakBytes, idleLeakBytesPerS }: TargetPlan): boolean {
  return fault.name === 'leaky' && (leakBytes > 0 || idleLeakBytesPerS > 0);
}

/** Docker's restart delay: from 100 ms, doubled by each restart up to a minute, reset by a run of 10 s. */
export const dockerRestart: RestartPolicy = {
  kind: 'doubling',
  firstMs: 100,
  capMs: 60_000,
  resetAfterMs: 10_000,
};

/** What the service gets as its only argument, in JSON. */
export interface ServiceSettings
  extends Pick<TargetPlan, 'fault' | 'seed' | 'keyRequired' | 'leak' | 'leakBytes' | 'idleLeakBytesPerS'> {
  /** Where it begins to swap and how fast; absent: it never does. */
  readonly swap?: { readonly limitBytes: number; readonly bytesPerS: number } | undefined;
  /** Absolute path of the ledger. */
  readonly ledgerPath: string;
  /** When faults began, on `monotonicMs()`; null: not yet. */
  readonly faultsFromMs: number | null;
}

/**
 * From the service to its supervisor. `ready`: it can be handed connections from now on. `taken`: it has the connection
 * that it was sent last, or has found that its client had already left. `refuse`, `listen`: its port is to be closed, or
 * open again. `torn`: its ledger ended in a torn line, which it has cut off. `unwritable`: a payment failed because its
 * ledger could not be written; said once.
 */
export type ServiceMessage =
  | { readonly type: 'ready' | 'taken' | 'refuse' | 'listen' | 'torn' }
  | { readonly type: 'unwritable'; readonly reason: string };

/** From the supervisor to a service that was started before: faults begin at that moment. */
export interface FaultsMessage {
  readonly type: 'faults';
  readonly fromMs: number;
}

/** From the supervisor to the service, together with an accepted socket. The next one comes after `taken`. */
export interface ConnectionMessage {
  readonly type: 'connection';
}

/** Whether something that came over the IPC channel is that message. */
export function isServiceMessage<Type extends ServiceMessage['type']>(
  message: unknown,
  type: Type,
): message is Extract<ServiceMessage, { type: Type }> {
  return hasType(message, type);
}
