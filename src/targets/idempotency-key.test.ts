import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIdempotencyKey, parseIdempotencyKey } from './idempotency-key.ts';

test('a key is quoted, as the draft asks', () => {
  expect(formatIdempotencyKey('8e03978e-40d5')).toBe('"8e03978e-40d5"');
});

test('whatever printable text a key is, it is read back', () => {
  const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 });
  fc.assert(
    fc.property(printable, (key) => {
      expect(parseIdempotencyKey(formatIdempotencyKey(key))).toBe(key);
    }),
  );
});

test('a key without quotes is the same key', () => {
  expect(parseIdempotencyKey('8e03978e-40d5')).toBe('8e03978e-40d5');
});

test.each([
  ['nothing', ''],
  ['an empty text', '""'],
  ['a quote that is not closed', '"k'],
  ['a quote inside', '"k"k"'],
  ['too much', 'k'.repeat(256)],
  ['two headers', ['a', 'b']],
])('%s cannot be used', (_, header) => {
  expect(parseIdempotencyKey(header)).toBe(false);
});

test('no header is no key', () => {
  expect(parseIdempotencyKey(undefined)).toBeUndefined();
});
