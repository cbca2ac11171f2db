import { expect, it } from 'vitest';
import { nodeVersionProblem } from './node-version.ts';

it.each(['18.20.4', '20.10.0'])('refuses Node %s and says what is allowed', (version) => {
  expect(nodeVersionProblem(version)).toBe(`wavetank: Node ${version} is too old; allowed: 20.11 or newer`);
});

it.each(['20.11.0', '20.20.2', '24.1.0'])('takes Node %s', (version) => {
  expect(nodeVersionProblem(version)).toBeUndefined();
});
