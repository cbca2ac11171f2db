/**
 * Entry bundle: the entries of threads and processes as plain JavaScript with all that they import, packages as well,
 * made from the sources once for each state that they are in. A trial starts six entries at once on a few cores; from
 * hundreds of small files, with a TypeScript loader in each, that takes four times as long.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
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
import os from 'node:os';
import path from 'node:path';
import type * as esbuild from 'esbuild';
import { MachineError } from './machine-error.ts';

export interface EntryBundleOptions {
  /** The folder of `src` and `node_modules`. */
  readonly root: string;
  /** Where bundles are kept; made where it does not exist. */
  readonly cacheDir: string;
}

/** All threads and processes: paths below the sources, without their extension. */
const entries = [
  'workers/gateway',
  'workers/load',
  'workers/metronome',
  'workers/canary',
  'workers/own-check',
  'targets/supervisor',
  'targets/payment-service',
  'targets/user-service',
] as const;

export type EntryName = (typeof entries)[number];

/** What says which packages are there: npm's record of what it has installed, or what it would install. */
const lockFiles = ['node_modules/.package-lock.json', 'package-lock.json'];

/** Packages that are CommonJS call `require`, which an ES module does not have. */
export const requireInModules =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/** Bundles that nobody has used for so long are removed. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The folder with the bundle of the sources as they are now: `workers/gateway.mjs` and so on. Where it does not exist it
 * is made, in about a second. Its name is a hash of all that it is made from, so it is never out of date; it is there
 * whole or not at all, whoever else makes it at the same time. Where nothing can be kept, it lies in a temporary folder
 * for as long as this process lives.
 *
 * @throws MachineError of one line if a source is broken, or nothing can be written at all; nothing is left then
 */
export function entryBundle({ root, cacheDir }: EntryBundleOptions): string {
  const folder = path.join(cacheDir, hashOf(root));
  if (existsSync(folder)) {
    markAsUsed(folder);
    return folder;
  }
  const draft = makeDraft(folder);
  if (draft === undefined) {
    const temporary = makeTemporaryFolder();
    writeFiles(temporary, temporary, bundle(root, temporary));
    return temporary;
  }
  try {
    writeFiles(draft, folder, bundle(root, folder));
    moveTo(folder, draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  removeUnused(cacheDir, Date.now() - keptMs);
  return folder;
}

/** Of the place, the packages and every source: more than is bundled, but all of it is read in some 10 ms. */
function hashOf(root: string): string {
  const sources = readdirSync(path.join(root, 'src'), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts') && !/\.test\.(kit\.)?ts$/.test(name))
    .map((name) => path.join('src', name));
  const hash = createHash('sha256').update(root);
  for (const name of [...lockFiles.filter((file) => existsSync(path.join(root, file))), ...sources.sort()]) {
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
      // Keeps apart what is imported only when it is needed. A chunk lies as deep as an entry: see `entry.ts`.
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      banner: { js: requireInModules },
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // No source maps: the first error whose stack is asked for would block its thread for 100 ms, to read the map of
      // all packages, and that would be in the result. The bundle is not minified, and names each source above its part.
      sourcemap: false,
      write: false,
      logLevel: 'silent',
    }).outputFiles;
  } catch (error) {
    throw new MachineError(whatIsBroken(error as esbuild.BuildFailure));
  }
}

/** `src/workers/load.ts:12:3: Unexpected "}"` */
export function whatIsBroken({ errors: [first], message }: esbuild.BuildFailure): string {
  if (first === undefined) return `the sources cannot be bundled: ${message.replaceAll(/\s+/g, ' ')}`;
  const { location, text } = first;
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}

/** A folder beside the one that it is to become; undefined where none can be made. */
function makeDraft(folder: string): string | undefined {
  try {
    mkdirSync(path.dirname(folder), { recursive: true });
    return mkdtempSync(`${folder}.`);
  } catch {
    return undefined;
  }
}

export function makeTemporaryFolder(): string {
  try {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'wavetank-entries-'));
    process.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  } catch (error) {
    throw new MachineError(`no temporary folder can be made: ${(error as Error).message}`);
  }
}

/** Writes files that were made for one folder into another. */
function writeFiles(into: string, madeFor: string, files: readonly esbuild.OutputFile[]): void {
  try {
    for (const file of files) {
      const place = path.join(into, path.relative(madeFor, file.path));
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, file.contents);
    }
  } catch (error) {
    throw new MachineError(`${into} cannot be written: ${(error as Error).message}`);
  }
}

/** No reader ever sees half of it. Of two who make the same, the second finds it done. */
function moveTo(folder: string, draft: string): void {
  try {
    // For whoever may read the packages; a temporary folder is its owner's alone.
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder))
      throw new MachineError(`${folder} cannot be written: ${(error as Error).message}`);
  }
}

function markAsUsed(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Somebody else's folder.
  }
}

function removeUnused(cacheDir: string, beforeMs: number): void {
  for (const name of readdirSync(cacheDir)) {
    const folder = path.join(cacheDir, name);
    const usedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (usedMs < beforeMs) rmSync(folder, { recursive: true, force: true });
  }
}
