/** Report text: a result as a table and a few sentences, for a terminal or a log. */
import Table from 'cli-table3';
import { type Comparison, compareStacks } from './comparison.ts';
import { comparisonTable, intervalNote } from './comparison-table.ts';
import { plainText } from './number-text.ts';
import type { Result } from './result.ts';
import { verdictText } from './verdict-text.ts';

/** The table (a column per stack), the verdicts, and every reason why a trial is not valid. */
export function reportText(result: Result): string {
  return comparisonText(compareStacks(result));
}

export function comparisonText(comparison: Comparison): string {
  if (comparison.stacks.length === 0) return 'Nothing was measured.';
  const verdicts = verdictText(comparison);
  return [
    tableText(comparison),
    ...(verdicts === '' ? [] : ['', verdicts]),
    ...invalidLines(comparison),
    ...(comparison.complete ? [] : ['', 'Interrupted: this result is partial.']),
  ].join('\n');
}

function tableText(comparison: Comparison): string {
  const rows = comparisonTable(comparison);
  const table = new Table({
    head: ['', ...comparison.stacks.map((stack) => headText(stack.name))],
    colAligns: ['left', ...comparison.stacks.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: plainFrame,
  });
  table.push(
    ...rows.map(({ heading, cells }) => [
      heading,
      ...cells.map(({ figure, interval }) => (interval === null ? figure : `${figure}\n${interval}`)),
    ]),
  );
  const text = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
  const intervals = rows.some(({ cells }) => cells.some(({ interval }) => interval !== null));
  return intervals ? `${text}\n${intervalNote}` : text;
}

const headWidth = 16;

/** A stack's name in lines, broken behind a `+` where it would make its column wide. */
function headText(name: string): string {
  const lines = [''];
  for (const layer of plainText(name).split(/(?<=\+)/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + layer.length > headWidth) lines.push(layer);
    else lines[lines.length - 1] = line + layer;
  }
  return lines.join('\n');
}

/** No frame at all: it reads as well in a log as in a terminal. */
const plainFrame = Object.fromEntries(
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

function invalidLines({ invalidTrials, stacks }: Comparison): string[] {
  if (invalidTrials.length === 0) return [];
  const hopeless = stacks.filter(({ summary }) => summary.validTrials === 0);
  return [
    '',
    ...invalidTrials.flatMap(({ stack, trial, reasons }) =>
      reasons.map((reason) => `INVALID ${plainText(stack)}, trial ${trial}: ${plainText(reason)}`),
    ),
    'Invalid trials are left out.',
    ...hopeless.map(
      ({ name }) => `${plainText(name)} has no valid trial: its column shows what cannot be believed.`,
    ),
  ];
}
