/** Rate limit policy: what a client may send, as plain data, and how it is read from a command line. */
import type { Millis } from './clock.ts';
import { allowed, type OptionSpec, readOption, type ValueOf } from './option.ts';
import type { OptionDescription } from './stack.ts';
import { UsageError } from './usage-error.ts';

const count = (value: number, max: number, meaning: string) =>
  ({ kind: 'count', default: value, min: 1, max, meaning }) as const;

/** Every option of every kind of limit. */
const options = {
  'token-bucket': {
    ratePerS: count(100, 1_000_000, 'requests per second in the long run'),
    burst: count(20, 1_000_000, 'requests at once after a rest'),
  },
  'sliding-window': {
    limit: count(1000, 100_000, 'requests in any window; the moment of each one is kept'),
    windowMs: {
      kind: 'ms',
      default: 10_000,
      min: 1,
      max: 3_600_000,
      off: false,
      meaning: 'how long a request counts',
    },
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
 * @throws {UsageError} If a kind or an option does not exist, comes twice or is out of range.
 */
export function parseRateLimits(text: string): RateLimitPolicy[] {
  const policies = text.split(';').map(parsePolicy);
  if (policies.length > policiesMax) {
    throw new UsageError(`${policies.length} limits for one client; allowed: 1 to ${policiesMax}`);
  }
  return policies;
}

function parsePolicy(text: string): RateLimitPolicy {
  const [, kindText = '', settings = ''] = /^([^:]*):?(.*)$/s.exec(text.trim()) ?? [];
  const kind = limitKinds.find((known) => known === kindText.trim());
  if (kind === undefined) {
    throw new UsageError(
      `there is no rate limit ${JSON.stringify(kindText.trim())}; allowed: ${limitKinds.join(', ')}, as token-bucket:ratePerS=100,burst=20`,
    );
  }
  const specs: Readonly<Record<string, OptionSpec>> = options[kind];
  const values: Record<string, unknown> = {};
  for (const setting of settings.trim() === '' ? [] : settings.split(',')) {
    const [, name = '', value] = /^\s*([^=]*?)\s*=(.*)$/s.exec(setting) ?? [];
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec === undefined || value === undefined) {
      throw new UsageError(
        `${kind} cannot be given ${JSON.stringify(setting.trim())}; allowed: ${Object.keys(specs).join('=, ')}=`,
      );
    }
    if (Object.hasOwn(values, name)) throw new UsageError(`${kind}.${name} comes twice; give it once`);
    values[name] = readOption(`${kind}.${name}`, spec, value);
  }
  const defaults = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, spec.default]));
  return { kind, ...defaults, ...values } as unknown as RateLimitPolicy;
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
    options: Object.entries(options[kind]).map(([name, spec]) => ({
      name,
      kind: spec.kind,
      default: spec.default,
      allowed: allowed(spec),
      meaning: spec.meaning,
    })),
  }));
}
