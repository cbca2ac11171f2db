import { expect, test } from 'vitest';
import { words } from './flag-words.ts';

test.each([
  ['', []],
  ['  --rate 5   --json ', ['--rate', '5', '--json']],
  [`--set 'a b' --out "c 'd"`, ['--set', 'a b', '--out', "c 'd"]],
  [`--set=x='a b'c ''`, ['--set=x=a bc', '']],
])('splits %j', (text, parts) => {
  expect(words(text)).toEqual(parts);
});

test.each([`--set 'a b`, `--out "c' d`])('refuses %j, whose quote does not end', (text) => {
  expect(() => words(text)).toThrow(/does not end/);
});
