/** Run store: the folder of one run. Files in it are written whole or not at all. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { prettifyError } from 'zod';
import { UsageError } from '../patterns/usage-error.ts';
import { MachineError } from './machine-error.ts';
import { type Result, resultSchema } from './result.ts';

export interface RunStore {
  readonly id: string;
  /** The run's folder. */
  readonly dir: string;
  /** Writes `result.json`; what does not fit the schema is an error and leaves nothing behind. */
  writeResult(result: Result): void;
  /** Adds to another file in the folder. Throws a MachineError when it cannot. */
  appendFile(name: string, text: string): void;
  /** Removes the folder of a run that measured nothing. */
  discard(): void;
}

/**
 * Makes a new folder below `out` for a run that started at `startedAt`. Two runs at once get two folders.
 * Throws a UsageError when `out` cannot be written.
 */
export function createRunStore(out: string, startedAt: Date): RunStore {
  const stamp = startedAt
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');
  let dir: string;
  try {
    makeFolder(out);
    dir = mkdtempSync(path.join(out, `${stamp}-`));
  } catch (error) {
    throw new UsageError(`--out ${out}: cannot make a folder there (${(error as Error).message})`);
  }
  const id = path.basename(dir);
  return {
    id,
    dir,
    writeResult(result) {
      writeWhole(path.join(dir, 'result.json'), `${JSON.stringify(resultSchema.parse(result))}\n`);
    },
    appendFile(name, text) {
      const file = path.join(dir, name);
      try {
        appendFileSync(file, text);
      } catch (error) {
        throw new MachineError(`${file} cannot be written: ${(error as Error).message}`);
      }
    },
    discard() {
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The `result.json` of a run that is named by it or by its folder. */
export function resultFile(run: string): string {
  return run.endsWith('.json') ? run : path.join(run, 'result.json');
}

/** Reads a `result.json`, or the one in a run's folder. Throws a UsageError that says what is wrong with it. */
export function readResult(file: string): Result {
  const named = resultFile(file);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(named, 'utf8'));
  } catch (error) {
    // Node quotes the text around the fault, line ends and all.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UsageError(`${named} does not exist; give the folder of a run, or its result.json`);
    }
    throw new UsageError(`${named}: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
  const schema = (json as { schema?: unknown } | null)?.schema;
  if (schema !== 1) throw new UsageError(`${named}: schema ${String(schema)}; this version reads schema 1`);
  const parsed = resultSchema.safeParse(json);
  if (!parsed.success) {
    throw new UsageError(`${named}: ${prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`);
  }
  return parsed.data;
}

/** Makes a folder and those above it, where they do not exist. Node's own `recursive` never returns where a parent cannot hold folders (/proc). */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

/**
 * Writes beside the file and renames over it, so that no reader ever sees half of it.
 * Throws a MachineError when it cannot be written.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    removeDraft(draft);
    throw new MachineError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // Its folder is none, so it is not there either.
  }
}
