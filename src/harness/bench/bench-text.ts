/** Bench text: the rows as a table for people. Pure. */
import { numberText, ratioText } from '../number-text.ts';
import { plainTable } from '../plain-table.ts';
import { failingCalls, failingWarmUpCalls, fullWindowCalls } from './bench-case.ts';
import type { BenchRow } from './bench-rows.ts';
import { benchVerdict } from './bench-verdict.ts';

/** What each row shows, as text. */
export const benchTable = {
  head: ['', 'library', 'ns/call', '95 % interval', '× bare', '× best peer', 'bytes/pending'],
  row: (row: BenchRow): readonly string[] => [
    row.name,
    row.library,
    nsText(row.ns),
    row.nsInterval === null ? '-' : `${nsText(row.nsInterval.low)}–${nsText(row.nsInterval.high)}`,
    ratioText(row.ratioToBare),
    row.ratioToBestPeer === null ? '-' : ratioText(row.ratioToBestPeer),
    row.bytesPerPending === null ? '-' : numberText(row.bytesPerPending),
  ],
} as const;

/** What has to be known to read the table, a line each. */
export function benchLegend(rows: readonly BenchRow[], rounds: number): string[] {
  const notes: readonly (readonly [note: string, meaning: string])[] = [
    [
      'slowMs',
      'our breaker as it is by default, which watches for calls that become slow; in all other rows it does not, because no peer does.',
    ],
    ['rejected', 'an open breaker, or a full bulkhead.'],
    [
      'failing',
      `with at most ${numberText(failingCalls + failingWarmUpCalls)} calls in the breaker's window.`,
    ],
    ['100k window', `failing, with ${numberText(fullWindowCalls)} calls in the breaker's window.`],
    ['in flight', 'calls that are started together.'],
  ];
  return [
    `${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`}; the call of the target itself is included everywhere.`,
    ...notes
      .filter(([note]) => rows.some(({ name }) => name.endsWith(`${note})`)))
      .map(([note, meaning]) => `(${note}): ${meaning}`),
  ];
}

export function benchText(rows: readonly BenchRow[], rounds: number): string {
  const table = plainTable({
    head: benchTable.head,
    alignments: ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
    rows: rows.map(benchTable.row),
    gap: 2,
  });
  const verdict = benchVerdict(rows);
  return [table, '', ...(verdict === undefined ? [] : [verdict]), ...benchLegend(rows, rounds)].join('\n');
}

/** A bar's or a row's figure: no fraction of a nanosecond means anything. */
export function nsText(ns: number): string {
  return numberText(Math.round(ns));
}
