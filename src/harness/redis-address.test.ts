import { expect, it } from 'vitest';
import { parseRedisAddress, withoutPassword } from './redis-address.ts';

it.each([
  'redis://127.0.0.1:6379',
  'redis://localhost',
  'rediss://u:p@cache.example:6380/2',
  'redis://[::1]:6379/',
])('takes %s', (text) => {
  expect(parseRedisAddress(text)).toBe(text);
});

it.each([
  '',
  'localhost:6379',
  'http://127.0.0.1:6379',
  'redis://',
  'redis://h:99999',
  'redis://h/x',
  'redis://h?a=1',
])('refuses %j', (text) => {
  expect(() => parseRedisAddress(text)).toThrow('allowed: redis://[user:password@]host[:port][/database]');
});

it.each([
  ['redis://:s3cret@h:1', 'redis://:***@h:1'],
  ['--redis=rediss://me:a@b:c@h/2', '--redis=rediss://me:***@h/2'],
  ['redis://me@h:1', 'redis://me@h:1'],
  ['breaker', 'breaker'],
])('shows %j as %j', (text, shown) => {
  expect(withoutPassword(text)).toBe(shown);
});
