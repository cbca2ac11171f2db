/** History: a file that grows by a line of JSON per check. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { prettifyError } from 'zod';
import { UsageError } from '../../patterns/usage-error.ts';
import { MachineError } from '../machine-error.ts';
import { makeFolder } from '../run-store.ts';
import type { CheckRecord } from './check-record.ts';
import { type HistoryLine, historyLineOf, historyLineSchema, historyMark } from './history-line.ts';

export const historyFileDefault = path.join('runs', 'history.ndjson');

/**
 * Adds the check to the history, in one write, so that checks at the same time do not mix. Makes the file and its
 * folder where they do not exist. A line that an earlier process left unfinished stays where it is.
 *
 * @throws {MachineError} If it cannot be written.
 */
export function appendHistory(file: string, record: CheckRecord): void {
  const line = JSON.stringify(historyLineSchema.parse(historyLineOf(record)));
  try {
    makeFolder(path.dirname(file));
    const handle = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o666);
    try {
      const text = Buffer.from(`${endsInLine(handle) ? '' : '\n'}${line}\n`);
      const written = writeSync(handle, text);
      if (written < text.length) throw new Error(`only ${written} of ${text.length} bytes were written`);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw new MachineError(`--history ${file} cannot be written: ${(error as Error).message}`);
  }
}

function endsInLine(handle: number): boolean {
  const { size } = fstatSync(handle);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(handle, last, 0, 1, size - 1);
  return last.toString() === '\n';
}

export interface History {
  /** In the order of the file. */
  readonly lines: readonly HistoryLine[];
  /** What was left out, and where. */
  readonly warnings: readonly string[];
}

/**
 * Reads a history. A line that a killed process left unfinished is left out with a warning.
 *
 * @throws {UsageError} If the file cannot be read, or a line in it is no check: one line that names file and line.
 */
export function readHistory(file: string): History {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UsageError(`${file} does not exist; the first check writes it`);
    }
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const lines: HistoryLine[] = [];
  const warnings: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line, `${file}, line ${index + 1}`);
    if (parsed === 'torn') warnings.push(`${file}, line ${index + 1}: not written to its end; left out`);
    else lines.push(parsed);
  }
  return { lines, warnings };
}

function parseLine(line: string, where: string): HistoryLine | 'torn' {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (error) {
    if (line.startsWith(historyMark) || historyMark.startsWith(line)) return 'torn';
    throw new UsageError(`${where}: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
  const { schema, kind } = (json ?? {}) as { schema?: unknown; kind?: unknown };
  if (kind !== 'check-history') throw new UsageError(`${where}: not a check`);
  if (schema !== 1) throw new UsageError(`${where}: schema ${String(schema)}; this version reads schema 1`);
  const parsed = historyLineSchema.safeParse(json);
  if (!parsed.success) {
    throw new UsageError(`${where}: ${prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`);
  }
  return parsed.data;
}
