/** Rate limit plan: the limits at the gateway's door, and where they are counted. */
import type { RateLimitPolicy } from '../patterns/rate-limit-policy.ts';

export interface RateLimitPlan {
  /** A request has to pass all of them. */
  readonly policies: readonly RateLimitPolicy[];
  /** Null: each gateway counts by itself, in memory. */
  readonly redis: {
    /** May hold a password. */
    readonly address: string;
    /** Gateways with the same one share their counts. */
    readonly keyPrefix: string;
    /** What to do with a request while Redis cannot decide: let it in, or turn it away. */
    readonly failOpen: boolean;
  } | null;
}
