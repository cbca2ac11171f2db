/** Problem: the gateway's failures as RFC 9457 problem documents. Pure. */
import { STATUS_CODES } from 'node:http';
import type { FailureKind } from '../patterns/outcome.ts';

export const problemMediaType = 'application/problem+json';

export interface Problem {
  /** Stable name of the kind of problem; `about:blank` where the status says it all. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** Extension member: why the call behind it failed. Absent where the request itself was at fault. */
  readonly failure?: FailureKind;
}

const answers: Record<FailureKind, { readonly status: number; readonly title: string }> = {
  timeout: { status: 504, title: 'The service behind did not answer in time' },
  refused: { status: 502, title: 'The service behind refused the connection' },
  reset: { status: 502, title: 'The service behind broke the connection' },
  'http-5xx': { status: 502, title: 'The service behind failed' },
  'http-4xx': { status: 502, title: 'The service behind did not accept the request' },
  'breaker-open': {
    status: 503,
    title: 'Calls of the service behind are paused: the circuit breaker is open',
  },
  'bulkhead-full': { status: 503, title: 'Too many calls of the service behind are under way' },
  'queue-timeout': { status: 503, title: 'The call of the service behind waited too long for its turn' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  shed: { status: 503, title: 'The gateway sheds load' },
  cancelled: { status: 499, title: 'The client gave up' },
};

/** The problem that tells a client why its request failed. */
export function problemOfFailure(failure: FailureKind): Problem {
  const { status, title } = answers[failure];
  return { type: `urn:wavetank:failure:${failure}`, title, status, failure };
}

/** The problem of a request that never became a call. */
export function problemOfStatus(status: number, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Unknown', status, detail };
}
