/**
 * Starts the entries of threads and child processes by name, from TypeScript sources (under tsx or vitest) as well
 * as from compiled JavaScript. The harness never imports an entry: it knows it by name and by its messages.
 */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** `workers/gateway` or `targets/payment-service`: a path below the sources, without its extension. */
export type EntryName = `${'workers' | 'targets'}/${string}`;

/** Whether TypeScript sources run (under tsx or vitest), not the compiled package. */
export const fromSources = import.meta.url.endsWith('.ts');

/** Where the file of an entry is. */
export function entryUrl(name: EntryName): URL {
  return new URL(`../${name}.${fromSources ? 'ts' : 'js'}`, import.meta.url);
}

/** Node flags with which a process, or a piscina thread, can load an entry. */
export const entryExecArgv: readonly string[] = fromSources ? ['--import', import.meta.resolve('tsx')] : [];

/** Starts an entry in a thread of its own. */
export function startThread(name: EntryName, options: WorkerOptions): Worker {
  // Without this process's flags: from sources they would have each thread load tsx, and the module below once more.
  return new Worker(threadUrl(entryUrl(name)), { execArgv: [], ...options });
}

/** Starts an entry in a child process of its own, with an IPC channel. */
export function startProcess(name: EntryName, argv: readonly string[], options: ForkOptions): ChildProcess {
  return fork(fileURLToPath(entryUrl(name)), argv, {
    ...options,
    execArgv: [...entryExecArgv, ...(options.execArgv ?? [])],
  });
}

/** Node 20 refuses a `.ts` file as a thread's entry, so from sources a two-line module registers tsx and imports it. */
function threadUrl(entry: URL): URL {
  if (!fromSources) return entry;
  const register = import.meta.resolve('tsx/esm/api');
  const code = `import { register } from '${register}'; register(); await import('${entry.href}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
