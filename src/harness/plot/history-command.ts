/** History command: reads the history of checks and draws it. */
import { UsageError } from '../../patterns/usage-error.ts';
import { readHistory } from '../check/history.ts';
import { comparedChecks } from './history-series.ts';
import { historySvg } from './history-svg.ts';
import { startsWith } from './plot-files.ts';
import type { HistoryOptions } from './plot-options.ts';
import { writePlotFiles } from './plot-output.ts';
import { svgMark } from './svg.ts';

/**
 * Writes `history.svg` and returns its path, and what was left out.
 *
 * @throws {UsageError} If the history cannot be read or has nothing to draw, or a file is in the way.
 */
export function plotHistory({ file, out, force }: HistoryOptions): {
  readonly files: string[];
  readonly warnings: readonly string[];
} {
  const { lines, warnings } = readHistory(file);
  if (lines.length === 0) throw new UsageError(`${file}: there is no check in it yet`);
  if (comparedChecks(lines).length === 0) {
    throw new UsageError(`${file}: none of its checks compared anything; limits have no change to draw`);
  }
  const picture = { name: 'history.svg', text: historySvg(lines), isOwn: startsWith(svgMark) };
  return { files: writePlotFiles(out, [picture], force), warnings };
}
