/**
 * Starts the entries of threads and child processes by name: bundled from the TypeScript sources (under tsx or vitest),
 * or as the package's compiled JavaScript. The harness never imports an entry: it knows it by name and by its messages.
 */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { entryBundle } from './entry-bundle.ts';

/** `workers/gateway` or `targets/payment-service`: a path below the sources, without its extension. */
export type EntryName = `${'workers' | 'targets'}/${string}`;

/** This file's own: `.ts` in the sources, `.mjs` in a bundle of them, `.js` in the package. */
const extension = path.extname(import.meta.url);

/** Whether TypeScript sources run (under tsx or vitest), not a bundle of them, nor the compiled package. */
export const fromSources = extension === '.ts';

/** Node flags with which a process can load TypeScript. */
export const tsxExecArgv: readonly string[] = fromSources ? ['--import', import.meta.resolve('tsx')] : [];

interface Loading {
  /** Where the file of an entry is. */
  readonly url: URL;
  /** Node flags with which a process, or a piscina thread, can load it. */
  readonly execArgv: string[];
}

/** The folder of the bundle, made at the first need; undefined where none can be kept. */
let bundled: { readonly folder: string | undefined } | undefined;

/** How an entry is loaded. From sources without a bundle, by tsx: slower by a second, but the same code. */
export function loadingOf(name: EntryName): Loading {
  if (!fromSources) return { url: new URL(`../${name}${extension}`, import.meta.url), execArgv: flagsOf(extension) };
  bundled ??= { folder: findBundle() };
  return bundled.folder === undefined
    ? { url: new URL(`../${name}.ts`, import.meta.url), execArgv: [...tsxExecArgv] }
    : { url: pathToFileURL(path.join(bundled.folder, `${name}.mjs`)), execArgv: flagsOf('.mjs') };
}

/** Starts an entry in a thread of its own. */
export function startThread(name: EntryName, options: WorkerOptions): Worker {
  const { url, execArgv } = loadingOf(name);
  if (url.pathname.endsWith('.ts')) return new Worker(tsxThreadUrl(url), { execArgv: [], ...options });
  return new Worker(url, { execArgv, ...options });
}

/** Starts an entry in a child process of its own, with an IPC channel. */
export function startProcess(name: EntryName, argv: readonly string[], options: ForkOptions): ChildProcess {
  const { url, execArgv } = loadingOf(name);
  return fork(fileURLToPath(url), argv, { ...options, execArgv: [...execArgv, ...(options.execArgv ?? [])] });
}

function findBundle(): string | undefined {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return entryBundle({ root, cacheDir: path.join(root, 'node_modules/.cache/wavetank') });
}

/** The stacks of a bundle name the sources. */
function flagsOf(extension: string): string[] {
  return extension === '.mjs' ? ['--enable-source-maps'] : [];
}

/** Node 20 refuses a `.ts` file as a thread's entry, so without a bundle a two-line module registers tsx and imports it. */
function tsxThreadUrl(entry: URL): URL {
  const register = import.meta.resolve('tsx/esm/api');
  const code = `import { register } from '${register}'; register(); await import('${entry.href}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
