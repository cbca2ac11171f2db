import { expect, test } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { benchCases } from './bench-case.ts';
import { parseBenchOptions } from './bench-options.ts';

function namesFor(...argv: string[]): string[] {
  const request = parseBenchOptions(argv);
  if (request.kind !== 'bench') throw new Error(request.text);
  return request.options.cases.map(({ name }) => name);
}

test('measures everything unless told otherwise', () => {
  expect(namesFor()).toEqual(benchCases.map(({ name }) => name));
});

test('a stack means all of its rows, a whole name that row alone', () => {
  expect(namesFor('--only', 'bulkhead')).toEqual([
    'bulkhead',
    'bulkhead (100 in flight)',
    'bulkhead (5000 in flight)',
    'bulkhead (rejected)',
    'bulkhead (failing)',
  ]);
  expect(namesFor('--only', 'breaker (100k window), timeout (failing)')).toEqual([
    'breaker (100k window)',
    'timeout (failing)',
  ]);
});

test.each([
  [['--only', 'braker'], '"braker" is not measured; allowed: bare, retry,'],
  [['--only', 'retry (100k window)'], '"retry (100k window)" is not measured; allowed:'],
  [['--only', ''], '"" is not measured; allowed:'],
  [['--rounds', '0'], 'allowed: a whole number from 1 to 1000'],
  [['--quick'], "unknown option '--quick'; allowed: --version, --only, --rounds, --json, --out"],
  [['breaker'], 'too many arguments'],
])('refuses %j in one line that says what is allowed', (argv, message) => {
  expect(() => parseBenchOptions(argv)).toThrow(UsageError);
  expect(() => parseBenchOptions(argv)).toThrow(message);
  expect(() => parseBenchOptions(argv)).not.toThrow(/\n/);
});
