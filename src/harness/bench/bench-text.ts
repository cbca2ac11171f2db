/** Bench text: the rows as a table for people. Pure. */
import { numberText, ratioText } from '../number-text.ts';
import { plainTable } from '../plain-table.ts';
import { failingCalls, failingWarmUpCalls, fullWindowCalls } from './bench-case.ts';
import type { BenchRow } from './bench-rows.ts';
import { benchVerdict } from './bench-verdict.ts';

/** What each row shows, as text. */
export function benchTable(rows: readonly BenchRow[]): {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
} {
  const columns: readonly (readonly [head: string, text: (row: BenchRow, index: number) => string])[] = [
    // Once for all its libraries.
    ['', ({ name }, index) => (rows[index - 1]?.name === name ? '' : name)],
    ['library', ({ library }) => library],
    ['ns/call', ({ ns }) => nsText(ns)],
    ...(rows.some(({ nsInterval }) => nsInterval !== null) ? [intervalColumn] : []),
    ['× bare', ({ ratioToBare }) => ratioText(ratioToBare)],
    ['× best peer', ({ ratioToBestPeer }) => (ratioToBestPeer === null ? '-' : ratioText(ratioToBestPeer))],
    [
      'bytes/pending',
      ({ bytesPerPending }) => (bytesPerPending === null ? '-' : numberText(bytesPerPending)),
    ],
  ];
  return {
    heads: columns.map(([head]) => head),
    rows: rows.map((row, index) => columns.map(([, text]) => text(row, index))),
  };
}

const intervalColumn = [
  '95 % interval',
  ({ nsInterval }: BenchRow) =>
    nsInterval === null ? '-' : `${nsText(nsInterval.low)}–${nsText(nsInterval.high)}`,
] as const;

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
    `${roundsText(rounds)}; the call of the target itself is included everywhere.`,
    ...(rows.some(({ nsInterval }) => nsInterval !== null) ? [] : ['From 6 rounds on there are intervals.']),
    ...(rows.some(({ ratioToBestPeer }) => ratioToBestPeer !== null)
      ? ["× best peer: our time over the fastest peer's, taken round by round; below 1 is faster."]
      : []),
    ...notes
      .filter(([note]) => rows.some(({ name }) => name.endsWith(`${note})`)))
      .map(([note, meaning]) => `(${note}): ${meaning}`),
  ];
}

export function benchText(rows: readonly BenchRow[], rounds: number): string {
  const { heads, rows: cells } = benchTable(rows);
  const table = plainTable({
    head: heads,
    alignments: heads.map((_, index) => (index < 2 ? 'left' : 'right')),
    rows: cells,
    gap: 2,
  });
  const verdict = benchVerdict(rows);
  return [table, '', ...(verdict === undefined ? [] : [verdict]), ...benchLegend(rows, rounds)].join('\n');
}

/** What a figure is of. */
export function roundsText(rounds: number): string {
  return rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`;
}

/** A bar's or a row's figure: no fraction of a nanosecond means anything. */
export function nsText(ns: number): string {
  return numberText(Math.round(ns));
}
