import { expect, test } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { sampleResult } from '../trial.test.kit.ts';
import { comparableResults, type Measured } from './comparable.ts';

const { host } = sampleResult({});
const options = { target: 'healthy', durationMs: 2000, trials: 5, seed: 1 };
const measured = (name: string, change: Partial<Measured> = {}): Measured => ({
  name,
  host,
  options,
  ...change,
});
const compare = (change: Partial<Measured>) => () => {
  comparableResults(measured('runs/a'), measured('runs/b', change));
};

test('results of one machine with the same options are comparable, whatever their number of trials and seed', () => {
  expect(compare({ options: { ...options, trials: 9, seed: 4 } })).not.toThrow();
  expect(compare({ host: { ...host, commit: 'other', loadAverage: 9 } })).not.toThrow();
});

test.each([
  [{ host: { ...host, cpu: 'another' } }, /runs\/a and runs\/b differ in the machine's cpu/],
  [{ host: { ...host, cores: 64 } }, /the machine's cores/],
  [{ host: { ...host, node: 'v99.0.0' } }, /the version of Node/],
  [{ options: { ...options, durationMs: 3000 } }, /the option durationMs \(2000, 3000\)/],
  [{ options: { ...options, down: 'refuse' } }, /the option down \(null, "refuse"\)/],
] satisfies [Partial<Measured>, RegExp][])('others are not: %#', (change, message) => {
  expect(compare(change)).toThrow(UsageError);
  expect(compare(change)).toThrow(message);
});
