/**
 * Entry bundle: the entries of threads and processes as plain JavaScript, made from the sources once for each state that
 * they are in. Eighty small files go through a TypeScript loader in a second or so, and a trial starts six of them at
 * once; the bundle of an entry loads in a tenth of that.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as esbuild from 'esbuild';
import { MachineError } from './machine-error.ts';

export interface EntryBundleOptions {
  /** The folder of `package-lock.json` and `src`. */
  readonly root: string;
  /** Where bundles are kept; below a folder whose `node_modules` has the packages. */
  readonly cacheDir: string;
}

/** What is not an entry, but part of one, lies in the other rooms, or is loaded by one of these. */
const entries = [
  'workers/gateway',
  'workers/load',
  'workers/metronome',
  'workers/canary',
  'targets/supervisor',
  'targets/payment-service',
];

/** Bundles of sources that nobody has started for so long are thrown away. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The folder with the bundle of the sources as they are now: `workers/gateway.mjs` and so on. It is made (about 0.2 s)
 * where it does not exist. Its name is a hash of all that it is made from, so it is never out of date, and it is there
 * whole or not at all, whoever else makes it at the same time. Undefined: it cannot be written.
 *
 * @throws MachineError of one line if a source is broken; nothing is written then
 */
export function entryBundle({ root, cacheDir }: EntryBundleOptions): string | undefined {
  const folder = path.join(cacheDir, hashOf(root));
  if (existsSync(folder)) {
    markAsUsed(folder);
    return folder;
  }
  const files = bundle(root, folder);
  try {
    mkdirSync(cacheDir, { recursive: true });
    writeFolder(folder, files);
    removeUnused(cacheDir, Date.now() - keptMs);
    return folder;
  } catch {
    return undefined;
  }
}

/** Of the place, the packages and every source: more than is bundled, but all of it together is read in 10 ms. */
function hashOf(root: string): string {
  const sources = readdirSync(path.join(root, 'src'), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts') && !/\.test\.(kit\.)?ts$/.test(name))
    .map((name) => path.join('src', name));
  const hash = createHash('sha256').update(root);
  for (const name of ['package-lock.json', ...sources.sort()]) {
    hash.update(`\0${name}\0`).update(readFileSync(path.join(root, name)));
  }
  return hash.digest('hex').slice(0, 24);
}

function bundle(root: string, folder: string): readonly esbuild.OutputFile[] {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof esbuild;
  try {
    return buildSync({
      absWorkingDir: root,
      entryPoints: entries.map((name) => `src/${name}.ts`),
      outbase: 'src',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      // A chunk lies as deep as an entry does, so that `entry.ts` finds its neighbours from either.
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'linked',
      sourcesContent: false,
      write: false,
      logLevel: 'silent',
    }).outputFiles;
  } catch (error) {
    throw new MachineError(whatIsBroken(error as esbuild.BuildFailure));
  }
}

function whatIsBroken({ errors = [], message }: Partial<esbuild.BuildFailure>): string {
  const [first] = errors;
  if (first === undefined) return `the sources cannot be bundled: ${String(message).split('\n')[0]}`;
  const { location, text } = first;
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}

/** Writes beside the folder and renames: no reader ever sees half of it, and of two writers either may be the first. */
function writeFolder(folder: string, files: readonly esbuild.OutputFile[]): void {
  const draft = mkdtempSync(`${folder}.`);
  try {
    for (const file of files) {
      const place = path.join(draft, path.relative(folder, file.path));
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, file.contents);
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function markAsUsed(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Not ours to write to: whoever made it looks after it.
  }
}

function removeUnused(cacheDir: string, beforeMs: number): void {
  for (const name of readdirSync(cacheDir)) {
    const folder = path.join(cacheDir, name);
    const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (changedMs < beforeMs) rmSync(folder, { recursive: true, force: true });
  }
}
