/** Plain table: columns without a frame, which read as well in a log as in a terminal. Pure. */
import Table from 'cli-table3';

export type Alignment = 'left' | 'right';

export interface PlainTable {
  readonly head: readonly string[];
  readonly alignments: readonly Alignment[];
  /** Cells may have several lines and colours. */
  readonly rows: readonly (readonly string[])[];
  /** Between columns, in characters. */
  readonly gap: number;
}

export function plainTable({ head, alignments, rows, gap }: PlainTable): string {
  const table = new Table({
    head: [...head],
    colAligns: [...alignments],
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': gap },
    chars: noFrame,
  });
  table.push(...rows.map((cells) => [...cells]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const noFrame = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);
