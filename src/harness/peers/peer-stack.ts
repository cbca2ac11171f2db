/** Peer stack: the same semantics as a stack of ours, built with cockatiel or opossum as their users would build it. */
import { setMaxListeners } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Cockatiel from 'cockatiel';
import type CircuitBreaker from 'opossum';
import type { BreakerState } from '../../patterns/events.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { errorText } from '../error-text.ts';

export const peerNames = ['cockatiel', 'opossum'] as const;

export type PeerName = (typeof peerNames)[number];

/** What they are compared in, unless another version is installed; the next major ones need Node 22. */
export const peerVersions: Readonly<Record<PeerName, string>> = { cockatiel: '3.2.1', opossum: '9.0.0' };

/** A layer that a peer may have. */
export type PeerLayer = 'retry' | 'breaker' | 'bulkhead' | 'timeout';

/** Hears what a stack's layers do, as far as the library says so. */
export interface PeerListener {
  /** Its breaker has another state now; it starts closed. */
  readonly breakerState?: (state: BreakerState) => void;
  /** Before the wait for a retry. 1 for the first one. */
  readonly retry?: (retry: number, delayMs: number, after: unknown) => void;
}

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
  /** Whether what an attempt threw may be tried again. Its own rejections are not asked about: never. */
  readonly isRetryable: (error: unknown) => boolean;
}

export interface PeerStack {
  /**
   * Makes a call. Rejects with what the last attempt threw, or with an error of the library.
   *
   * @param signal The caller's. cockatiel has all calls without one listen to the same signal, for which it pays when
   *   there are many.
   */
  call<T>(attempt: (signal?: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Stops its timers. */
  close(): void;
}

export interface Peer {
  readonly name: PeerName;
  readonly version: string;
  /**
   * @param layers Outermost first.
   * @returns Undefined if the library has no such stack.
   */
  build(layers: readonly PeerLayer[], settings: PeerSettings, listener?: PeerListener): PeerStack | undefined;
}

/**
 * Undefined if it is not installed, neither where the command runs nor beside wavetank.
 *
 * @throws {UsageError} If it is there and cannot be loaded.
 */
export function loadPeer(name: PeerName): Peer | undefined {
  const found = findPeer(name);
  if (found === undefined) return undefined;
  try {
    // Not by `import`: the bundle that runs from sources must neither contain it nor need it, and lies where Node would
    // not find it.
    const library: unknown = createRequire(found.manifest)(name);
    const peer =
      name === 'cockatiel'
        ? cockatielPeer(found.version, library as typeof Cockatiel)
        : opossumPeer(found.version, library as typeof CircuitBreaker);
    // Another version may have other names.
    peer.build(['breaker', 'timeout'], trialSettings)?.close();
    return peer;
  } catch (error) {
    throw new UsageError(`${name} ${found.version} cannot be used: ${errorText(error)}; ${npmLine(name)}`);
  }
}

const trialSettings: PeerSettings = {
  retriesMax: 1,
  baseMs: 1,
  capMs: 1,
  windowMs: 1000,
  failureRate: 0.5,
  callsMin: 1,
  openMs: 1,
  concurrentMax: 1,
  queueMax: 0,
  limitMs: 1,
  isRetryable: () => false,
};

function findPeer(name: PeerName): { readonly manifest: string; readonly version: string } | undefined {
  for (const from of peerHomes()) {
    const manifest = (createRequire(from).resolve.paths(name) ?? [])
      .map((modules) => path.join(modules, name, 'package.json'))
      .find((file) => existsSync(file));
    if (manifest !== undefined) return { manifest, version: versionIn(manifest) };
  }
  return undefined;
}

function versionIn(manifest: string): string {
  try {
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : 'of an unknown version';
  } catch {
    return 'of an unknown version';
  }
}

/** Where it is looked for: the project that the command is run in, and wavetank's own surroundings. */
function peerHomes(): string[] {
  return [path.join(process.cwd(), 'package.json'), import.meta.url];
}

/** How somebody gets it. */
export function installLine(name: PeerName): string {
  return `${name} is not installed; to compare with it: ${npmLine(name)}`;
}

function npmLine(name: PeerName): string {
  return `npm install --save-dev ${name}@${peerVersions[name]}`;
}

function cockatielPeer(version: string, cockatiel: typeof Cockatiel): Peer {
  // Calls without a signal, and those that have waited for a probe, listen to one signal of its own until they have ended.
  // It may be many, and is no leak, which is what Node would warn of.
  void cockatiel.noop.execute(({ signal }) => {
    setMaxListeners(0, signal);
  });
  /** What says something about the target: whatever was not thrown by a layer inside. */
  const isFailure = (error: Error): boolean => !(error instanceof cockatiel.BulkheadRejectedError);
  const policies: Record<PeerLayer, (settings: PeerSettings, listener: PeerListener) => Cockatiel.IPolicy> = {
    retry: ({ retriesMax, baseMs, capMs, isRetryable }, listener) => {
      const policy = cockatiel.retry(
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
      );
      policy.onRetry((retry) => {
        listener.retry?.(retry.attempt, retry.delay, 'error' in retry ? retry.error : undefined);
      });
      return policy;
    },
    breaker: ({ windowMs, failureRate, callsMin, openMs }, listener) => {
      const policy = cockatiel.circuitBreaker(cockatiel.handleWhen(isFailure), {
        halfOpenAfter: openMs,
        breaker: new cockatiel.SamplingBreaker({
          threshold: failureRate,
          duration: windowMs,
          minimumRps: callsMin / (windowMs / 1000),
        }),
      });
      policy.onStateChange((state) => {
        if (state === cockatiel.CircuitState.Closed) listener.breakerState?.('closed');
        else listener.breakerState?.(state === cockatiel.CircuitState.HalfOpen ? 'half-open' : 'open');
      });
      return policy;
    },
    bulkhead: ({ concurrentMax, queueMax }) => cockatiel.bulkhead(concurrentMax, queueMax),
    // Aggressive: it answers at its limit, whatever the attempt does, as ours does.
    timeout: ({ limitMs }) => cockatiel.timeout(limitMs, cockatiel.TimeoutStrategy.Aggressive),
  };
  return {
    name: 'cockatiel',
    version,
    build(layers, settings, listener = {}) {
      const policy = cockatiel.wrap(...layers.map((layer) => policies[layer](settings, listener)));
      return {
        call: (attempt, caller) => policy.execute(({ signal }) => attempt(signal), caller),
        close: () => undefined,
      };
    },
  };
}

function opossumPeer(version: string, Breaker: typeof CircuitBreaker): Peer {
  return {
    name: 'opossum',
    version,
    build(layers, settings, listener = {}) {
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
      breaker.on('open', () => listener.breakerState?.('open'));
      breaker.on('halfOpen', () => listener.breakerState?.('half-open'));
      breaker.on('close', () => listener.breakerState?.('closed'));
      return {
        call: <T>(attempt: () => Promise<T>) => breaker.fire(attempt) as Promise<T>,
        close: () => {
          breaker.shutdown();
        },
      };
    },
  };
}
