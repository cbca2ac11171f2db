/** Plot output: writes the files of a plot, and nothing over a file that is not its own. */
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../patterns/usage-error.ts';
import { makeFolder, writeWhole } from '../run-store.ts';
import type { PlotFile } from './plot-files.ts';

/**
 * Writes the files into a folder, which is made where it does not exist, and returns their paths. All of them are looked
 * at before the first is written.
 *
 * @param force Writes over any file. False: only over one that carries the mark of an earlier plot of its kind.
 * @throws {UsageError} If a file in the way is not to be written over, or the folder cannot be written to.
 */
export function writePlotFiles(dir: string, files: readonly PlotFile[], force: boolean): string[] {
  try {
    for (const file of files) checkPlace(path.join(dir, file.name), file, force);
    makeFolder(dir);
    return files.map(({ name, text }) => {
      const place = path.join(dir, name);
      writeWhole(place, text);
      return place;
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The user gave the name: whatever the reason is, another name is the way out.
    throw new UsageError(`--out ${dir}: cannot write there (${(error as Error).message})`);
  }
}

function checkPlace(place: string, file: PlotFile, force: boolean): void {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isFile()) throw new UsageError(`${place} is in the way: it is no ordinary file`);
  if (!force && !file.isOwn(readFileSync(place, 'utf8'))) {
    throw new UsageError(`${place} exists and was not written by plot; --force writes over it`);
  }
}
