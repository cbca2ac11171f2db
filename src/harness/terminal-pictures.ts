/** Terminal pictures: what a person on a terminal sees below the table of a run. */
import pc from 'picocolors';
import type { Result } from './result.ts';
import type { Colors } from './terminal-marks.ts';
import { memoryLines } from './terminal-memory.ts';
import { percentileChart } from './terminal-percentiles.ts';

/** They need no more than this, however wide the terminal is. */
const columnsMax = 80;
/** Below it they say nothing. */
const columnsMin = 50;

/** Both pictures, or nothing where there is nothing to draw or no room. */
export function terminalPictures(result: Result, columns: number, colors: Colors = pc): string {
  if (columns < columnsMin) return '';
  const width = Math.min(columns, columnsMax);
  return [percentileChart(result, width, colors), memoryLines(result, width, colors)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
