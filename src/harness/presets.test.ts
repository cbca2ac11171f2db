import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { slaMsOf } from './metrics.ts';
import { parseRunOptions } from './run-options.ts';
import { readResult } from './run-store.ts';
import { summariseStack } from './summary.ts';

const sample = readResult(fileURLToPath(new URL('../../runs/article-sample', import.meta.url)));

test('the committed sample was measured with the article preset as it is now', () => {
  const request = parseRunOptions(['--preset', 'article']);
  if (request.kind !== 'run') throw new Error(request.text);
  // Options that came later are not in it; the preset has to leave them without effect.
  expect(request.options.given).toMatchObject(sample.options);
  expect(sample.stacks.map(({ name, layers }) => ({ name, layers }))).toEqual(
    request.options.stacks.map(({ name, layers }) => ({ name, layers })),
  );
});

test("the committed sample shows the article's claims, as docs/article.md says", () => {
  const [baseline, retry, breaker, bulkhead] = sample.stacks.map((stack) =>
    summariseStack(stack, slaMsOf(sample)),
  );
  if (!baseline || !retry || !breaker || !bulkhead) throw new Error('a stage is missing');
  expect(Number(baseline.responseUs.p95) / Number(bulkhead.responseUs.p95)).toBeGreaterThan(14.7);
  const answers = (stack: typeof baseline) => stack.confirmed + stack.failed;
  expect(answers(bulkhead) / answers(baseline)).toBeGreaterThan(1.53);
  expect(retry.errorRate).toBeLessThan(Math.min(breaker.errorRate, bulkhead.errorRate));
  // And what the document holds against them.
  expect(Math.abs(bulkhead.goodputPerS / baseline.goodputPerS - 1)).toBeLessThan(0.05);
});
