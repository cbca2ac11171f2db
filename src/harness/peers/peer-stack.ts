/** Peer stack: the same semantics as a stack of ours, built with cockatiel or opossum as their users would build it. */
import type * as Cockatiel from 'cockatiel';
import type CircuitBreaker from 'opossum';

export const peerNames = ['cockatiel', 'opossum'] as const;

export type PeerName = (typeof peerNames)[number];

/** What is compared with; their next major versions need Node 22. */
export const peerVersions: Readonly<Record<PeerName, string>> = { cockatiel: '3.2.1', opossum: '9.0.0' };

/** A layer that a peer may have. */
export type PeerLayer = 'retry' | 'breaker' | 'bulkhead' | 'timeout';

/** What is set on the layers, under the names of our options. */
export interface PeerSettings {
  readonly retriesMax: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly windowMs: number;
  /** Above 0 and below 1: cockatiel takes neither end. */
  readonly failureRate: number;
  readonly callsMin: number;
  readonly openMs: number;
  readonly concurrentMax: number;
  readonly queueMax: number;
  readonly limitMs: number;
  /** Whether what an attempt threw may be tried again. What the stack itself threw is not asked about: never. */
  readonly isRetryable: (error: unknown) => boolean;
}

export interface PeerStack {
  /** Makes a call. Rejects with what the last attempt threw, or with an error of the library. */
  call<T>(attempt: (signal?: AbortSignal) => Promise<T>): Promise<T>;
  /** Stops its timers. */
  close(): void;
}

export interface Peer {
  readonly name: PeerName;
  /**
   * @param layers Outermost first.
   * @returns Undefined if the library has no such stack.
   */
  build(layers: readonly PeerLayer[], settings: PeerSettings): PeerStack | undefined;
}

/** Undefined if it is not installed. */
export async function loadPeer(name: PeerName): Promise<Peer | undefined> {
  try {
    return name === 'cockatiel'
      ? cockatielPeer(await import('cockatiel'))
      : opossumPeer((await import('opossum')).default);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Something else that is missing, inside of it, is no reason to be silent.
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}

/** How somebody gets it. */
export function installLine(name: PeerName): string {
  return `${name} is not installed and is left out; to compare with it: npm install --save-dev ${name}@${peerVersions[name]}`;
}

function cockatielPeer(cockatiel: typeof Cockatiel): Peer {
  /** What says something about the target: whatever was not thrown by a layer inside. */
  const isFailure = (error: Error): boolean => !(error instanceof cockatiel.BulkheadRejectedError);
  const policies: Record<PeerLayer, (settings: PeerSettings) => Cockatiel.IPolicy> = {
    retry: ({ retriesMax, baseMs, capMs, isRetryable }) =>
      cockatiel.retry(
        cockatiel.handleWhen(
          (error) =>
            isFailure(error) && !(error instanceof cockatiel.BrokenCircuitError) && isRetryable(error),
        ),
        {
          maxAttempts: retriesMax,
          backoff: new cockatiel.ExponentialBackoff({
            initialDelay: baseMs,
            maxDelay: capMs,
            generator: cockatiel.fullJitterGenerator,
          }),
        },
      ),
    breaker: ({ windowMs, failureRate, callsMin, openMs }) =>
      cockatiel.circuitBreaker(cockatiel.handleWhen(isFailure), {
        halfOpenAfter: openMs,
        breaker: new cockatiel.SamplingBreaker({
          threshold: failureRate,
          duration: windowMs,
          minimumRps: callsMin / (windowMs / 1000),
        }),
      }),
    bulkhead: ({ concurrentMax, queueMax }) => cockatiel.bulkhead(concurrentMax, queueMax),
    // Aggressive: it answers at its limit, whatever the attempt does, as ours does.
    timeout: ({ limitMs }) => cockatiel.timeout(limitMs, cockatiel.TimeoutStrategy.Aggressive),
  };
  return {
    name: 'cockatiel',
    build(layers, settings) {
      const policy = cockatiel.wrap(...layers.map((layer) => policies[layer](settings)));
      return {
        call: (attempt) => policy.execute(({ signal }) => attempt(signal)),
        close: () => undefined,
      };
    },
  };
}

function opossumPeer(Breaker: typeof CircuitBreaker): Peer {
  return {
    name: 'opossum',
    build(layers, settings) {
      // It is a breaker, in which the rest is an option. It does not retry.
      if (!layers.includes('breaker') || layers.includes('retry')) return undefined;
      const breaker = new Breaker((attempt: () => Promise<unknown>) => attempt(), {
        timeout: layers.includes('timeout') && settings.limitMs,
        ...(layers.includes('bulkhead') && { capacity: settings.concurrentMax }),
        errorThresholdPercentage: settings.failureRate * 100,
        volumeThreshold: settings.callsMin,
        rollingCountTimeout: settings.windowMs,
        rollingCountBuckets: 10,
        resetTimeout: settings.openMs,
      });
      return {
        call: <T>(attempt: () => Promise<T>) => breaker.fire(attempt) as Promise<T>,
        close: () => {
          breaker.shutdown();
        },
      };
    },
  };
}
