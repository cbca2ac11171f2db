import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const nowEpochMs = Date.UTC(2024, 1, 29, 12, 0, 0);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['2', 2000],
    [' 120 ', 120_000],
    ['Thu, 29 Feb 2024 12:00:05 GMT', 5000],
    ['Fri, 01 Mar 2024 12:00:00 GMT', 86_400_000],
  ])('R25: %j means a wait of %d ms', (value, waitMs) => {
    expect(parseRetryAfter(value, nowEpochMs)).toBe(waitMs);
  });

  it('R25: a date that has passed means no wait', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', nowEpochMs)).toBe(0);
  });

  it.each([
    '',
    'soon',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '2 seconds',
    'NaN',
    'Infinity',
    '9'.repeat(400),
    '2024-02-29T12:00:05Z',
    'Thu, 29 Feb 2024 12:00:05',
    'Thu, 29 Feb 2024 12:00:05 CET',
    'Thu, 29 Foo 2024 12:00:05 GMT',
    'Fri, 31 Feb 2024 12:00:05 GMT',
    'Thursday, 29-Feb-24 12:00:05 GMT',
  ])('R25: %j is nonsense', (value) => {
    expect(parseRetryAfter(value, nowEpochMs)).toBeUndefined();
  });
});
