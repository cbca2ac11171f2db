/** Rate limit door: what every request to the gateway has to pass before anything else is done with it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../patterns/outcome.ts';
import { forgetMs, quotaOf, type RateLimitPolicy } from '../patterns/rate-limit-policy.ts';
import type { RateDecision } from '../patterns/rate-limiter.ts';

export type DoorEventType = 'rate-limited' | 'limiter-failed-open' | 'limiter-failed-closed';

export interface RateLimitDoorOptions {
  readonly policies: readonly RateLimitPolicy[];
  /** Undefined: it cannot be decided. */
  readonly decide: (client: string) => RateDecision | Promise<RateDecision | undefined>;
  /** Whether a request about which nothing can be decided is let in. */
  readonly failOpen: boolean;
  readonly report: (type: DoorEventType) => void;
}

/** Lets a request in (undefined), or says why not. Sets the `RateLimit` fields of the answer in either case. */
export type RateLimitDoor = (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | undefined>;

export function createRateLimitDoor(options: RateLimitDoorOptions): RateLimitDoor {
  const { policies, decide, failOpen, report } = options;
  const names = policyNames(policies);
  const policyField = rateLimitPolicyField(policies, names);

  return async (request, reply) => {
    const decision = await decide(clientOf(request));
    void reply.header('ratelimit-policy', policyField);
    if (decision === undefined) {
      report(failOpen ? 'limiter-failed-open' : 'limiter-failed-closed');
      // Not `rate-limited`: nobody knows whether this client has sent too much.
      return failOpen ? undefined : { kind: 'shed' };
    }
    void reply.header('ratelimit', rateLimitField(decision, names));
    if (decision.admitted) return undefined;
    report('rate-limited');
    return { kind: 'rate-limited', retryAfterMs: decision.retryAfterMs };
  };
}

/**
 * Whose quota a request uses: its `X-API-Key`'s, else its address's. The key is taken as it is: a gateway that lets
 * unknown keys in gives each of them a quota of its own.
 */
export function clientOf(request: Pick<FastifyRequest, 'headers' | 'ip'>): string {
  const key = request.headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? `key ${key}` : `address ${request.ip}`;
}

/** `token-bucket`, or `token-bucket-2` where it is the second of its kind. */
function policyNames(policies: readonly RateLimitPolicy[]): string[] {
  return policies.map(({ kind }, index) => {
    const place = policies.slice(0, index + 1).filter((other) => other.kind === kind).length;
    return place === 1 ? kind : `${kind}-${place}`;
  });
}

/**
 * The `RateLimit-Policy` field: quota `q` in `w` seconds, rounded up. A bucket's window is the time in which it fills.
 * (draft-ietf-httpapi-ratelimit-headers-10; a list of strings with parameters, RFC 9651.)
 */
function rateLimitPolicyField(policies: readonly RateLimitPolicy[], names: readonly string[]): string {
  return policies
    .map((policy, index) => `"${names[index] ?? ''}";q=${quotaOf(policy)};w=${seconds(forgetMs(policy))}`)
    .join(', ');
}

/** The `RateLimit` field: `r` requests remain; in `t` seconds there is one more, absent where all are there. */
function rateLimitField({ quotas }: RateDecision, names: readonly string[]): string {
  return quotas
    .map(
      ({ remaining, nextMs }, index) =>
        `"${names[index] ?? ''}";r=${remaining}${nextMs > 0 ? `;t=${seconds(nextMs)}` : ''}`,
    )
    .join(', ');
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
