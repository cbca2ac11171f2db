/** Bench text: the rows as a table for people. Pure. */
import { numberText, ratioText } from '../number-text.ts';
import { plainTable } from '../plain-table.ts';
import type { BenchRow } from './bench-rows.ts';

export function benchText(rows: readonly BenchRow[], rounds: number): string {
  const table = plainTable({
    head: ['', 'library', 'ns/call', '95 % interval', '× bare', '× best peer', 'bytes/pending'],
    alignments: ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
    rows: rows.map((row) => [
      row.name,
      row.library,
      nsText(row.ns),
      row.nsInterval === null ? '-' : `${nsText(row.nsInterval.low)}–${nsText(row.nsInterval.high)}`,
      ratioText(row.ratioToBare),
      row.ratioToBestPeer === null ? '-' : ratioText(row.ratioToBestPeer),
      row.bytesPerPending === null ? '-' : numberText(row.bytesPerPending),
    ]),
    gap: 2,
  });
  return [
    table,
    '',
    `Medians of ${rounds} rounds; the call of the target itself is included everywhere.`,
    "(rejected): an open breaker, or a full bulkhead. (failing): with few calls in the breaker's window.",
    '(100k window): failing, with 100,000 calls in it. In flight: calls that are started together.',
  ].join('\n');
}

/** A bar's or a row's figure: no fraction of a nanosecond means anything. */
export function nsText(ns: number): string {
  return numberText(Math.round(ns));
}
