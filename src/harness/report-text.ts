/** Report text: a result as a table and a few sentences, for a terminal or a log. */
import { type Comparison, compareStacks } from './comparison.ts';
import { comparisonTable, intervalNote } from './comparison-table.ts';
import { plainText } from './number-text.ts';
import { plainTable } from './plain-table.ts';
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
  const text = plainTable({
    head: ['', ...comparison.stacks.map((stack) => headText(stack.name))],
    alignments: ['left', ...comparison.stacks.map(() => 'right' as const)],
    rows: rows.map(({ heading, cells }) => [
      heading,
      ...cells.map(({ figure, interval }) => (interval === null ? figure : `${figure}\n${interval}`)),
    ]),
    gap: 2,
  });
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

function invalidLines({ invalidTrials, stacks }: Comparison): string[] {
  if (invalidTrials.length === 0) return [];
  const hopeless = stacks.filter(({ summary }) => summary.validTrials === 0);
  return [
    '',
    ...invalidTrials.flatMap(({ stack, trial, reasons }) =>
      reasons.map((reason) => `INVALID ${plainText(stack)}, trial ${trial}: ${plainText(reason)}`),
    ),
    hopeless.length === 0
      ? 'Invalid trials are left out.'
      : 'Invalid trials are left out, unless a stack has no other.',
    ...hopeless.map(
      ({ name }) => `${plainText(name)} has no valid trial: its column shows what cannot be believed.`,
    ),
  ];
}
