/** Verdict: what the outcome of a call says about the health of its target. */
import type { Outcome } from './outcome.ts';

/** `excluded`: it says nothing, because the call was rejected on this side or its caller took it back. */
export type Verdict = 'success' | 'failure' | 'excluded';

/** An `http-4xx` is a success: the target answered, and the caller was wrong. */
export function verdictOf(outcome: Outcome<unknown>): Verdict {
  if (outcome.ok) return 'success';
  switch (outcome.failure.kind) {
    case 'timeout':
    case 'refused':
    case 'reset':
    case 'http-5xx':
      return 'failure';
    case 'http-4xx':
      return 'success';
    case 'breaker-open':
    case 'bulkhead-full':
    case 'queue-timeout':
    case 'rate-limited':
    case 'shed':
    case 'cancelled':
      return 'excluded';
  }
}
