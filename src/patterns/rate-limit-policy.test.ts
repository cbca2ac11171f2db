import { describe, expect, it } from 'vitest';
import { describeLimits, parseRateLimits } from './rate-limit-policy.ts';
import { UsageError } from './usage-error.ts';

describe('parseRateLimits', () => {
  it('reads several limits, with units and defaults', () => {
    expect(parseRateLimits('token-bucket:ratePerS=50,burst=5; sliding-window: windowMs=2s')).toEqual([
      { kind: 'token-bucket', ratePerS: 50, burst: 5 },
      { kind: 'sliding-window', limit: 1000, windowMs: 2000 },
    ]);
  });

  it('takes a kind alone', () => {
    expect(parseRateLimits('token-bucket')).toEqual([{ kind: 'token-bucket', ratePerS: 100, burst: 20 }]);
  });

  it.each([
    ['', 'there is no rate limit ""; allowed: token-bucket, sliding-window'],
    ['token-bucket;', 'there is no rate limit ""'],
    ['leaky-bucket:ratePerS=1', 'there is no rate limit "leaky-bucket"'],
    ['token-bucket:rate=1', 'token-bucket has no option "rate"; allowed: ratePerS, burst'],
    ['token-bucket:__proto__=1', 'token-bucket has no option "__proto__"'],
    ['token-bucket:burst', '"burst" is no setting of token-bucket; allowed: option=value'],
    ['token-bucket:burst=0', 'token-bucket.burst is "0"; allowed: a whole number from 1 to 1000000'],
    ['token-bucket:burst=1,burst=2', 'token-bucket.burst comes twice'],
    ['sliding-window:windowMs=off', 'sliding-window.windowMs is "off"; allowed: 1 to 3600000 ms'],
    [
      'token-bucket;sliding-window;token-bucket:burst=20',
      'the same token-bucket twice; allowed: limits that',
    ],
    ['token-bucket;'.repeat(8) + 'token-bucket', '9 limits for one client; allowed: 1 to 8'],
  ])('refuses %j in one line that says what is allowed', (text, message) => {
    const parse = () => parseRateLimits(text);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
  });
});

it('describes every option with a default that is allowed', () => {
  for (const { kind, options } of describeLimits()) {
    const all = options.map((option) => `${option.name}=${option.default}`).join(',');
    expect(parseRateLimits(`${kind}:${all}`)).toEqual(parseRateLimits(kind));
  }
});
