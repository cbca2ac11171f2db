/**
 * Starts the entries of threads and child processes by name: bundled from the TypeScript sources (under tsx or vitest),
 * or as the package's compiled JavaScript. The harness never imports an entry: it knows it by name and by its messages.
 */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { type EntryName, entryBundle } from './entry-bundle.ts';

/** This file's own: `.ts` in the sources, `.mjs` in a bundle of them, `.js` in the package. */
const extension = path.extname(import.meta.url);

/** Whether TypeScript sources run (under tsx or vitest), not a bundle of them, nor the compiled package. */
export const fromSources = extension === '.ts';

/** Node flags with which a process runs TypeScript. */
export const tsxExecArgv: readonly string[] = fromSources ? ['--import', import.meta.resolve('tsx')] : [];

/** The sources as they are at the first start are those of all later ones. */
let bundle: string | undefined;

/** Where the file of an entry is. From sources the first question makes the bundle, if there is none. */
export function entryUrl(name: EntryName): URL {
  // A bundle, and the package, have their entries where the sources have them.
  if (!fromSources) return new URL(`../${name}${extension}`, import.meta.url);
  bundle ??= bundleHere();
  return pathToFileURL(path.join(bundle, `${name}.mjs`));
}

/** Starts an entry in a thread of its own. */
export function startThread(name: EntryName, options: WorkerOptions): Worker {
  // Without this process's flags: from sources they would have each thread load tsx.
  return new Worker(entryUrl(name), { execArgv: [], ...options });
}

/** Starts an entry in a child process of its own, with an IPC channel. */
export function startProcess(name: EntryName, argv: readonly string[], options: ForkOptions): ChildProcess {
  return fork(fileURLToPath(entryUrl(name)), argv, { execArgv: [], ...options });
}

function bundleHere(): string {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return entryBundle({ root, cacheDir: path.join(root, 'node_modules', '.cache', 'wavetank') });
}
