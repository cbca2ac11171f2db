/** Outcome: how a call ended, as a value. Requests never fail by exception; a thrown error is a bug. */

/** Every way in which a call can fail. The words stand in results, reports and problem documents as they are here. */
export const failureKinds = [
  'timeout',
  'refused',
  'reset',
  'http-5xx',
  'http-4xx',
  'breaker-open',
  'bulkhead-full',
  'queue-timeout',
  'rate-limited',
  'shed',
  'cancelled',
] as const;

const kinds: ReadonlySet<unknown> = new Set(failureKinds);

export type FailureKind = (typeof failureKinds)[number];

export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status, where the target answered with one. */
  readonly status?: number | undefined;
  /** How long whoever refused asks the caller to wait, in ms: a `Retry-After`, or what is left of an open breaker. */
  readonly retryAfterMs?: number | undefined;
  /** What the caller gave as its reason when it cancelled, or what was thrown: that very value. */
  readonly reason?: unknown;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** Whether something is an outcome. It is read by its shape: an outcome may be written out by hand. */
export function isOutcome<T>(value: unknown): value is Outcome<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { ok, failure } = value as { ok?: unknown; failure?: unknown };
  // A Response is `ok` too, but has no value.
  if (ok !== false) return ok === true && 'value' in value;
  return kinds.has((failure as { kind?: unknown } | null | undefined)?.kind);
}

/** Of what is no outcome only because its kind of failure does not exist, what to say; undefined of anything else. */
export function unknownKind(value: unknown): string | undefined {
  const { ok, failure } = (value ?? {}) as { ok?: unknown; failure?: { kind?: unknown } | null };
  const kind = failure?.kind;
  if (ok !== false || typeof kind !== 'string') return undefined;
  return `a failure of kind ${JSON.stringify(kind)}, which does not exist; allowed: ${failureKinds.join(', ')}`;
}

/** An outcome that is a success. */
export function confirmed<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** An outcome that is a failure of the given kind. */
export function failed(kind: FailureKind, more?: Omit<Failure, 'kind'>): Outcome<never> {
  if (more === undefined) return { ok: false, failure: { kind } };
  // Written out: an object spread costs more than all that an open breaker does besides.
  const failure: { -readonly [Key in keyof Failure]: Failure[Key] } = { kind };
  if (more.status !== undefined) failure.status = more.status;
  if (more.retryAfterMs !== undefined) failure.retryAfterMs = more.retryAfterMs;
  if ('reason' in more) failure.reason = more.reason;
  return { ok: false, failure };
}
