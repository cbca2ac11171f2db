/** Plot command: reads runs and writes what is asked for. */
import { existsSync, realpathSync } from 'node:fs';
import { readResult, resultFile } from '../run-store.ts';
import { plotFiles } from './plot-files.ts';
import { type PlotRun, plotLines } from './plot-line.ts';
import type { PlotOptions } from './plot-options.ts';
import { writePlotFiles } from './plot-output.ts';

/**
 * Writes the files and returns their paths.
 *
 * @throws {UsageError} If a run cannot be read or drawn, or a file is in the way. Nothing is written then.
 */
export function plot(options: PlotOptions): string[] {
  const lines = plotLines(readRuns(options.runs), options.requestClass);
  const files = plotFiles(lines, options.formats, options);
  return writePlotFiles(options.out, files, options.force);
}

/** Each run once, however often and by whatever path it is named. */
function readRuns(sources: readonly string[]): PlotRun[] {
  const runs = new Map<string, PlotRun>();
  for (const source of sources) {
    const file = resultFile(source);
    const place = existsSync(file) ? realpathSync(file) : file;
    if (!runs.has(place)) runs.set(place, { source: file, result: readResult(file) });
  }
  return [...runs.values()];
}
