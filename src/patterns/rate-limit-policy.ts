/** Rate limit policy: what a client may send, as plain data, and how it is read from a command line. */
import type { Millis } from './clock.ts';
import { count, ms, type OptionSpec, type ValueOf } from './option.ts';
import { describeOptions, type OptionDescription, readSettings, splitSettings } from './option-set.ts';
import { UsageError } from './usage-error.ts';

/** Every option of every kind of limit. */
const options = {
  'token-bucket': {
    ratePerS: count(100, 1, 'requests per second in the long run'),
    burst: count(20, 1, 'requests at once after a rest'),
  },
  'sliding-window': {
    limit: { ...count(1000, 1, 'requests in any window; the moment of each one is kept'), max: 100_000 },
    windowMs: ms(10_000, 1, 'how long a request counts'),
  },
} as const satisfies Record<string, Record<string, OptionSpec>>;

const meanings: Record<LimitKind, string> = {
  'token-bucket': 'lets a burst through and a steady rate after it',
  'sliding-window': 'lets no more than so many through in any window, wherever it begins',
};

export type LimitKind = keyof typeof options;

export const limitKinds = Object.keys(options) as readonly LimitKind[];

/** One limit, for each client by itself. */
export type RateLimitPolicy = {
  readonly [Kind in LimitKind]: { readonly kind: Kind } & {
    readonly [Name in keyof (typeof options)[Kind]]: ValueOf<(typeof options)[Kind][Name]>;
  };
}[LimitKind];

/** Limits per client that are likely to be a slip of the keyboard. */
const policiesMax = 8;

/**
 * Reads limits such as `token-bucket:ratePerS=100,burst=20;sliding-window:limit=1000,windowMs=10s`. What is not named
 * has its default; `token-bucket` alone is allowed.
 *
 * @throws {UsageError} If a kind or an option does not exist, a limit or an option comes twice or is out of range.
 */
export function parseRateLimits(text: string): RateLimitPolicy[] {
  const policies = text.split(';').map(parsePolicy);
  if (policies.length > policiesMax) {
    throw new UsageError(`${policies.length} limits for one client; allowed: 1 to ${policiesMax}`);
  }
  const seen = new Set<string>();
  for (const policy of policies) {
    const same = JSON.stringify(policy);
    if (seen.has(same)) {
      throw new UsageError(`the same ${policy.kind} twice; allowed: limits that differ in kind or options`);
    }
    seen.add(same);
  }
  return policies;
}

function parsePolicy(text: string): RateLimitPolicy {
  const { name, settings } = splitSettings(text);
  const kind = limitKinds.find((known) => known === name);
  if (kind === undefined) {
    throw new UsageError(
      `there is no rate limit ${JSON.stringify(name)}; allowed: ${limitKinds.join(', ')}, as token-bucket:ratePerS=100,burst=20`,
    );
  }
  // The options are those of this very kind, which the compiler cannot see.
  return { kind, ...readSettings(kind, options[kind], settings) } as unknown as RateLimitPolicy;
}

/** How long after its last request a client is as good as new. */
export function forgetMs(policy: RateLimitPolicy): Millis {
  return policy.kind === 'token-bucket' ? (policy.burst / policy.ratePerS) * 1000 : policy.windowMs;
}

/** Requests that a rested client may send at once. */
export function quotaOf(policy: RateLimitPolicy): number {
  return policy.kind === 'token-bucket' ? policy.burst : policy.limit;
}

export interface LimitDescription {
  readonly kind: LimitKind;
  readonly meaning: string;
  readonly options: readonly OptionDescription[];
}

/** Every kind of limit with its options, for a help text. */
export function describeLimits(): readonly LimitDescription[] {
  return limitKinds.map((kind) => ({
    kind,
    meaning: meanings[kind],
    options: describeOptions(options[kind]),
  }));
}
