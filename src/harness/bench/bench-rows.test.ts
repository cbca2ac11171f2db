import { expect, test } from 'vitest';
import { benchCases, type Library } from './bench-case.ts';
import { benchRows } from './bench-rows.ts';
import type { Measured } from './bench-run.ts';

function measured(name: string, library: Library, roundsNs: number[]): Measured {
  const found = benchCases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return { case: found, library, roundsNs, bytesPerPending: null };
}

test('a ratio compares what was measured in the same round', () => {
  const rows = benchRows([
    measured('bare', 'wavetank', [100, 200, 100]),
    measured('breaker', 'wavetank', [300, 600, 310]),
    measured('breaker', 'cockatiel', [900, 1800, 900]),
    measured('breaker', 'opossum', [1500, 1000, 1500]),
  ]);
  expect(rows.map(({ ns, ratioToBare, ratioToBestPeer }) => [ns, ratioToBare, ratioToBestPeer])).toEqual([
    [100, 1, null],
    [310, 3, 1 / 3],
    [900, 9, null],
    [1500, 15, null],
  ]);
});

test('a stack with many in flight is held against as many bare calls in flight', () => {
  const rows = benchRows([
    measured('bare', 'wavetank', [100]),
    measured('bare (100 in flight)', 'wavetank', [50]),
    measured('retry (100 in flight)', 'wavetank', [200]),
  ]);
  expect(rows.at(-1)).toMatchObject({ ratioToBare: 4, nsInterval: null });
});
