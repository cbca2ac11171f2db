/** Rate limiter: decides for each client whether its next request may pass all limits, and keeps count in memory. */
import type { Millis } from './clock.ts';
import { forgetMs, type RateLimitPolicy } from './rate-limit-policy.ts';
import { SlidingWindow } from './sliding-window.ts';
import { TokenBucket } from './token-bucket.ts';

/** How a client stands with one limit. */
export interface Quota {
  /** Requests that it may still send at once. */
  readonly remaining: number;
  /** Until one more is available; 0: all are. */
  readonly nextMs: Millis;
}

export interface RateDecision {
  readonly admitted: boolean;
  /** Until a request of this client can be admitted again; 0 if this one was. */
  readonly retryAfterMs: Millis;
  /** After this decision, in the order of the policies. */
  readonly quotas: readonly Quota[];
}

/** A request passes all limits, and each of them counts it, or it passes none, and none does. */
export function decisionOf(admitted: boolean, quotas: readonly Quota[]): RateDecision {
  const refusing = quotas.filter(({ remaining }) => remaining < 1);
  const retryAfterMs = admitted ? 0 : Math.max(0, ...refusing.map(({ nextMs }) => nextMs));
  return { admitted, retryAfterMs, quotas };
}

export function bucketQuota(tokens: number, ratePerS: number, burst: number): Quota {
  const remaining = Math.floor(tokens);
  return { remaining, nextMs: tokens >= burst ? 0 : ((remaining + 1 - tokens) / ratePerS) * 1000 };
}

/** @param oldestMs The oldest of `used` calls; anything if there are none. */
export function windowQuota(
  used: number,
  oldestMs: Millis,
  now: Millis,
  limit: number,
  windowMs: Millis,
): Quota {
  return { remaining: limit - used, nextMs: used === 0 ? 0 : oldestMs + windowMs - now };
}

/** More clients than this are not remembered: who has been silent for longest starts anew. */
const clientsMaxDefault = 100_000;

export class RateLimiter {
  private readonly policies: readonly RateLimitPolicy[];
  private readonly clientsMax: number;
  private readonly idleMs: Millis;
  /** Whoever was silent for longest comes first. */
  private readonly clients = new Map<string, Client>();

  constructor(policies: readonly RateLimitPolicy[], clientsMax = clientsMaxDefault) {
    this.policies = policies;
    this.clientsMax = clientsMax;
    this.idleMs = Math.max(0, ...policies.map(forgetMs));
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.clients.size;
  }

  /** Decides on a request that came at `now`. */
  decide(name: string, now: Millis): RateDecision {
    const client = this.clientAt(name, now);
    const quotas = client.limits.map((limit) => limit.look(now));
    if (quotas.some(({ remaining }) => remaining < 1)) return decisionOf(false, quotas);
    return decisionOf(
      true,
      client.limits.map((limit) => limit.take(now)),
    );
  }

  private clientAt(name: string, now: Millis): Client {
    const client = this.clients.get(name) ?? { lastMs: now, limits: this.policies.map(limitOf) };
    client.lastMs = now;
    // Taken out and put in again: now it comes last.
    this.clients.delete(name);
    this.clients.set(name, client);
    for (const [other, { lastMs }] of this.clients) {
      if (this.clients.size <= this.clientsMax && now - lastMs <= this.idleMs) break;
      this.clients.delete(other);
    }
    return client;
  }
}

interface Client {
  lastMs: Millis;
  readonly limits: readonly Limit[];
}

/** One limit of one client. */
interface Limit {
  look(now: Millis): Quota;
  /** Counts a request; only where `look` has just found that there is room for it. */
  take(now: Millis): Quota;
}

function limitOf(policy: RateLimitPolicy): Limit {
  switch (policy.kind) {
    case 'token-bucket': {
      const { ratePerS, burst } = policy;
      const bucket = new TokenBucket(ratePerS, burst, burst);
      const look = (now: Millis) => bucketQuota(bucket.available(now), ratePerS, burst);
      return {
        look,
        take(now) {
          bucket.take(now);
          return look(now);
        },
      };
    }
    case 'sliding-window': {
      const { limit, windowMs } = policy;
      const window = new SlidingWindow(windowMs);
      const look = (now: Millis) => windowQuota(window.count(now), window.oldestMs, now, limit, windowMs);
      return {
        look,
        take(now) {
          window.add(now);
          return look(now);
        },
      };
    }
  }
}
