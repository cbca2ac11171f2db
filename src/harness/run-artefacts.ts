/** Run artefacts: the files that lie beside a run's `result.json`. Each is made from the result alone. */
import path from 'node:path';
import { type PlotFormat, plotFiles } from './plot/plot-files.ts';
import { plotLines } from './plot/plot-line.ts';
import { type RequestClass, requestClasses } from './request-class.ts';
import type { Result } from './result.ts';
import { writeWhole } from './run-store.ts';

export interface RunArtefact {
  readonly name: string;
  readonly text: string;
}

/** Writes the artefacts into the run's folder. Throws a MachineError when one cannot be written. */
export function writeRunArtefacts(dir: string, result: Result): void {
  for (const { name, text } of runArtefacts(result)) writeWhole(path.join(dir, name), text);
}

/** The report, the charts, and a `.hgrm` and a `.hlog` for each stack and class. */
export function runArtefacts(result: Result): RunArtefact[] {
  const { slaMs } = result.options;
  const slaUs = typeof slaMs === 'number' ? slaMs * 1000 : null;
  const filesOf = (requestClass: RequestClass, formats: readonly PlotFormat[]) =>
    plotFiles(plotLines([{ source: result.id, result }], requestClass), formats, { slaUs });
  const files = [
    ...filesOf('orders', ['html']),
    ...requestClasses.flatMap((requestClass) => filesOf(requestClass, ['svg', 'hgrm', 'hlog'])),
  ];
  // What does not depend on the class is in both lists.
  return [...new Map(files.map((file) => [file.name, file])).values()];
}
