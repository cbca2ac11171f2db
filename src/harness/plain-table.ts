/** Plain table: columns without any frame, which read as well in a log as in a terminal. Pure. */
import Table from 'cli-table3';

/**
 * @param head One per column; may have lines.
 * @param rows As many cells each; may have lines.
 * @param wordColumns How many columns from the left hold words; the others hold figures, and stand to the right.
 */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  wordColumns = 1,
): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (column < wordColumns ? 'left' : 'right')),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: noFrame,
  });
  table.push(...rows.map((row) => [...row]));
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
