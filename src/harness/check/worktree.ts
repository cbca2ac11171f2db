/** Worktree: another version of this repository, checked out beside it for as long as a check lasts. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../patterns/usage-error.ts';
import { MachineError } from '../machine-error.ts';

export interface Worktree {
  /** Where in it the folder lies that corresponds to the one of the check. */
  readonly dir: string;
  readonly commit: string;
  /** Takes it away. May be called again. */
  remove(): void;
}

export interface CheckOutHooks {
  /** Ends an install that is under way. */
  readonly interrupt: AbortSignal;
  /** Hears what takes long. */
  readonly onWait: (what: string) => void;
}

const folderPrefix = 'wavetank-check-';
const run = promisify(execFile);

/**
 * Checks `ref` out into a temporary worktree and gives it its dependencies: those of `folder` where the lockfile is the
 * same, else an `npm ci` of its own.
 *
 * @param folder Inside of a git repository.
 * @throws {UsageError} If `folder` is in no repository, or the ref does not exist.
 * @throws {MachineError} If it cannot be checked out or its dependencies cannot be installed; nothing is left then.
 */
export async function checkOut(ref: string, folder: string, hooks: CheckOutHooks): Promise<Worktree> {
  const top = git(folder, 'rev-parse', '--show-toplevel');
  if (top === undefined) throw new UsageError(`--against ${ref}: ${folder} is in no git repository`);
  const commit = ref.startsWith('-')
    ? undefined
    : git(folder, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  if (commit === undefined) {
    throw new UsageError(
      `--against ${ref}: there is no such commit, branch or tag here; a shallow clone has only the newest (git fetch --unshallow)`,
    );
  }
  removeAbandoned(top);
  const parent = mkdtempSync(path.join(os.tmpdir(), `${folderPrefix}${process.pid}-`));
  const root = path.join(parent, 'tree');
  const remove = () => {
    git(top, 'worktree', 'remove', '--force', root);
    rmSync(parent, { recursive: true, force: true });
    git(top, 'worktree', 'prune');
  };
  try {
    await run('git', ['worktree', 'add', '--quiet', '--detach', root, commit], { cwd: top });
    const dir = path.join(root, git(folder, 'rev-parse', '--show-prefix') ?? '');
    if (!existsSync(path.join(dir, 'package.json'))) {
      throw new UsageError(
        `--against ${ref}: it has no package.json in ${path.relative(root, dir) || 'its root'}`,
      );
    }
    await giveDependencies({ dir, root, ref }, { dir: folder, root: top }, hooks);
    return { dir, commit, remove };
  } catch (error) {
    remove();
    if (error instanceof UsageError || error instanceof MachineError) throw error;
    throw new MachineError(`--against ${ref}: it cannot be checked out (${lastLine(error)})`);
  }
}

interface Project {
  readonly dir: string;
  /** The repository's, which may be above. */
  readonly root: string;
}

async function giveDependencies(
  to: Project & { readonly ref: string },
  from: Project,
  { onWait, interrupt }: CheckOutHooks,
): Promise<void> {
  const installed = path.join(from.dir, 'node_modules');
  if (existsSync(installed) && dependenciesOf(to) === dependenciesOf(from)) {
    symlinkSync(installed, path.join(to.dir, 'node_modules'), 'junction');
    return;
  }
  onWait(`installing the dependencies of ${to.ref}`);
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await run('npm', args, { cwd: to.dir, signal: interrupt });
  } catch (error) {
    throw new MachineError(`--against ${to.ref}: its dependencies cannot be installed (${lastLine(error)})`);
  }
}

const lockfiles = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];

/** What says which packages belong there: the nearest lockfile up to the root, or else the manifest itself. */
function dependenciesOf({ dir, root }: Project): string {
  for (let folder = dir; ; folder = path.dirname(folder)) {
    const file = lockfiles.map((name) => path.join(folder, name)).find((name) => existsSync(name));
    if (file !== undefined) return readFileSync(file, 'utf8');
    if (folder === root || folder === path.dirname(folder)) break;
  }
  return readFileSync(path.join(dir, 'package.json'), 'utf8');
}

/** What checks that were killed have left behind: their process is in the folder's name. */
function removeAbandoned(top: string): void {
  const listed = git(top, 'worktree', 'list', '--porcelain') ?? '';
  for (const [, root = '', pid = ''] of listed.matchAll(/^worktree (.*wavetank-check-(\d+)-.*)$/gm)) {
    if (isAlive(Number(pid))) continue;
    git(top, 'worktree', 'remove', '--force', root);
    rmSync(path.dirname(root), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The commit that `folder` has checked out; null where it is in no repository. */
export function commitOf(folder: string): { readonly commit: string; readonly dirty: boolean } | null {
  const commit = git(folder, 'rev-parse', 'HEAD');
  if (commit === undefined) return null;
  return { commit, dirty: git(folder, 'status', '--porcelain') !== '' };
}

/** What git says, without the line end; undefined where it fails. */
function git(folder: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** What a failed command said last. */
function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = (stderr === undefined || stderr === '' ? message : stderr)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.at(-1)?.trim() ?? message;
}
