import { expect, test } from 'vitest';
import type { BenchRow } from './bench-rows.ts';
import { benchVerdict } from './bench-verdict.ts';

function row(name: string, library: BenchRow['library'], ns: number, more: Partial<BenchRow> = {}): BenchRow {
  return {
    name,
    library,
    ns,
    nsInterval: null,
    ratioToBare: 1,
    ratioToBestPeer: null,
    bytesPerPending: null,
    ...more,
  };
}

const small = [
  row('retry', 'wavetank', 100, { ratioToBestPeer: 0.5, bytesPerPending: 300 }),
  row('retry', 'cockatiel', 200, { bytesPerPending: 1200 }),
];

test('it is about the largest stack that a peer has too, where its calls succeed', () => {
  const rows = [
    ...small,
    row('breaker+timeout', 'wavetank', 300, { ratioToBestPeer: 0.3, bytesPerPending: 500 }),
    row('breaker+timeout', 'cockatiel', 9000, { bytesPerPending: 5000 }),
    row('breaker+timeout', 'opossum', 1000, { bytesPerPending: 1000 }),
    row('breaker+timeout (failing)', 'wavetank', 300, { ratioToBestPeer: 0.1 }),
    row('retry+breaker+bulkhead', 'wavetank', 400),
  ];
  expect(benchVerdict(rows)).toBe(
    "A call through breaker+timeout takes 0.3 of opossum's time, and while it is pending 0.5 of its memory.",
  );
});

test('the fastest and the lightest need not be the same', () => {
  const rows = [
    row('breaker', 'wavetank', 100, { ratioToBestPeer: 0.5, bytesPerPending: 300 }),
    row('breaker', 'cockatiel', 200, { bytesPerPending: 1200 }),
    row('breaker', 'opossum', 400, { bytesPerPending: 900 }),
  ];
  expect(benchVerdict(rows)).toBe(
    "A call through breaker takes 0.5 of cockatiel's time, and while it is pending 0.33 of opossum's memory.",
  );
});

test('without a peer there is none', () => {
  expect(benchVerdict([row('retry', 'wavetank', 100)])).toBeUndefined();
});
