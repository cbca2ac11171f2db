import { BrokenCircuitError, BulkheadRejectedError, TaskCancelledError } from 'cockatiel';
import { describe, expect, it } from 'vitest';
import { thrownFailure } from './thrown-failure.ts';

const withCode = (code: string, syscall?: string) => Object.assign(new Error('failed'), { code, syscall });

describe('thrownFailure', () => {
  it.each([
    ["cockatiel's open breaker", new BrokenCircuitError(), { kind: 'breaker-open' }],
    ["cockatiel's full bulkhead", new BulkheadRejectedError(1, 0), { kind: 'bulkhead-full' }],
    ["cockatiel's timeout", new TaskCancelledError(), { kind: 'timeout' }],
    ["opossum's open breaker", withCode('EOPENBREAKER'), { kind: 'breaker-open' }],
    ["opossum's full semaphore", withCode('ESEMLOCKED'), { kind: 'bulkhead-full' }],
    ["opossum's timeout", withCode('ETIMEDOUT'), { kind: 'timeout' }],
    ["the platform's timeout", new DOMException('', 'TimeoutError'), { kind: 'timeout' }],
    ['a refusal in fetch', new TypeError('', { cause: withCode('ECONNREFUSED') }), { kind: 'refused' }],
    ['an unreachable host', withCode('EHOSTUNREACH', 'connect'), { kind: 'refused' }],
    ['a host that became unreachable', withCode('EHOSTUNREACH', 'read'), { kind: 'reset' }],
    ['a broken socket', withCode('ECONNRESET'), { kind: 'reset' }],
    ['a status', Object.assign(new Error(''), { status: 503 }), { kind: 'http-5xx', status: 503 }],
    ['a statusCode', { statusCode: 404 }, { kind: 'http-4xx', status: 404 }],
    ['a kind of ours', Object.assign(new Error(''), { kind: 'shed', status: 503 }), { kind: 'shed' }],
  ])('knows %s', (_, error, failure) => {
    expect(thrownFailure(error)).toEqual(failure);
  });

  it.each([[new Error('no idea')], ['text'], [null], [undefined], [{ status: 200, kind: 'odd' }]])(
    'knows nothing of %s',
    (error) => {
      expect(thrownFailure(error)).toBeUndefined();
    },
  );

  it('knows nothing of what cannot be read', () => {
    const trap = {
      get kind(): never {
        throw new Error('trap');
      },
    };
    expect(thrownFailure(trap)).toBeUndefined();
  });

  it('takes what is known of an error before what stands in it', () => {
    const error = withCode('ECONNRESET');
    expect(
      thrownFailure(new Error('wrapped', { cause: error }), (one) =>
        one === error ? { kind: 'timeout' } : undefined,
      ),
    ).toEqual({ kind: 'timeout' });
  });

  it('ends where causes turn in a circle', () => {
    const error = new Error('round');
    error.cause = error;
    expect(thrownFailure(error)).toBeUndefined();
  });
});
