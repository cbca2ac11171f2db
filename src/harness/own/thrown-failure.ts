/** Thrown failure: what an error that other code throws means among our outcomes. Pure. */
import { isRefusal } from '../../patterns/http-send.ts';
import { type Failure, type FailureKind, failureKinds } from '../../patterns/outcome.ts';

/** By `code`: opossum's, and of Node's sockets and undici what is no refusal. */
const kindByCode: ReadonlyMap<unknown, FailureKind> = new Map<unknown, FailureKind>([
  ['EOPENBREAKER', 'breaker-open'],
  ['ESHUTDOWN', 'breaker-open'],
  ['ESEMLOCKED', 'bulkhead-full'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['EHOSTUNREACH', 'reset'],
  ['ENETUNREACH', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
]);

/** By a property that is true: cockatiel's. */
const kindByMark: readonly (readonly [mark: string, kind: FailureKind])[] = [
  ['isBrokenCircuitError', 'breaker-open'],
  ['isBulkheadRejectedError', 'bulkhead-full'],
  ['isTaskCancelledError', 'timeout'],
];

/** By `name`: the platform's, and what other libraries call the same. */
const kindByName: ReadonlyMap<unknown, FailureKind> = new Map<unknown, FailureKind>([
  ['BrokenCircuitError', 'breaker-open'],
  ['BulkheadRejectedError', 'bulkhead-full'],
  ['TimeoutError', 'timeout'],
  ['TaskCancelledError', 'timeout'],
  ['AbortError', 'timeout'],
]);

/** Errors inside errors are looked at this deep. */
const causesMax = 5;

/**
 * The failure that an error stands for; undefined: nothing in it says so. The first of these that is there counts:
 * a `kind` that is one of our failure kinds, a mark of cockatiel's, a known `code`, a `status` or `statusCode` from 400
 * to 599, a known `name`; then the same in its `cause`.
 *
 * @param known Says what is known about this very error, for example that an attempt ended with it.
 */
export function thrownFailure(
  error: unknown,
  known: (error: object) => Failure | undefined = () => undefined,
): Failure | undefined {
  let one = error;
  try {
    for (let depth = 0; depth <= causesMax && typeof one === 'object' && one !== null; depth += 1) {
      const failure = known(one) ?? failureOf(one);
      if (failure !== undefined) return failure;
      one = (one as { cause?: unknown }).cause;
    }
  } catch {
    // A property that throws when it is read says nothing.
  }
  return undefined;
}

function failureOf(error: object): Failure | undefined {
  const { kind, code, name, status, statusCode } = error as Readonly<Record<string, unknown>>;
  const said =
    failureKinds.find((known) => known === kind) ??
    kindByMark.find(([mark]) => (error as Readonly<Record<string, unknown>>)[mark] === true)?.[1] ??
    (isRefusal(error) ? 'refused' : kindByCode.get(code));
  if (said !== undefined) return { kind: said };
  const answered = status ?? statusCode;
  if (typeof answered === 'number' && answered >= 400 && answered < 600) {
    return { kind: answered >= 500 ? 'http-5xx' : 'http-4xx', status: answered };
  }
  const named = kindByName.get(name);
  return named === undefined ? undefined : { kind: named };
}
