import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stackColours, stackDashes, stackMarks, stackStyle } from './stack-style.ts';

it("has the colours of the report's style sheet", () => {
  const css = readFileSync(new URL('../page/report.css', import.meta.url), 'utf8');
  const inSheet = [...css.matchAll(/--stack-\d+: light-dark\((#\w+), (#\w+)\);/g)];
  expect(inSheet.map(([, light, dark]) => ({ light, dark }))).toEqual(stackColours);
});

it('gives as many stacks as there are pairs of colour and dash a look of their own', () => {
  const count = stackColours.length;
  expect([stackDashes.length, stackMarks.length]).toEqual([count, count]);
  const looks = Array.from({ length: count * count }, (_, index) => JSON.stringify(stackStyle(index)));
  expect(new Set(looks).size).toBe(looks.length);
});
