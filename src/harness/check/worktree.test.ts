import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { MachineError } from '../machine-error.ts';
import { checkOut, commitOf, type Worktree } from './worktree.ts';

const scratch = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-')));
const repository = path.join(scratch, 'repository');
const folder = path.join(repository, 'service');
let worktree: Worktree | undefined;
const waits: string[] = [];

function git(...args: string[]): string {
  const settings = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...settings, ...args], { cwd: repository, encoding: 'utf8' }).trim();
}

function write(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}

/** A repository whose project lies in a folder of it, with two versions and a branch that has another lockfile. */
beforeAll(() => {
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', repository]);
  writeFileSync(path.join(repository, '.gitignore'), 'node_modules\n');
  write('package.json', '{"name":"service","version":"1.0.0"}');
  write('package-lock.json', '{"name":"service","version":"1.0.0","lockfileVersion":3,"packages":{}}');
  write('code.txt', 'first');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  git('tag', 'v1');
  git('checkout', '--quiet', '-b', 'broken');
  write('package-lock.json', 'no lockfile');
  git('commit', '--quiet', '-am', 'broken');
  git('checkout', '--quiet', 'main');
  write('code.txt', 'second');
  git('commit', '--quiet', '-am', 'second');
});

afterEach(() => {
  worktree?.remove();
  worktree = undefined;
  waits.length = 0;
});

afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** What is left of worktrees, besides the repository itself. */
function left(): string[] {
  return git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree ') && line !== `worktree ${repository}`);
}

const hooks = { interrupt: new AbortController().signal, onWait: (what: string) => waits.push(what) };

async function open(ref: string): Promise<Worktree> {
  worktree = await checkOut(ref, folder, hooks);
  return worktree;
}

test('another version lies in a folder of its own, with the dependencies that are installed', async () => {
  const { dir, commit } = await open('v1');
  expect(readFileSync(path.join(dir, 'code.txt'), 'utf8')).toBe('first');
  expect(readFileSync(path.join(folder, 'code.txt'), 'utf8')).toBe('second');
  expect(commit).toBe(git('rev-parse', 'v1'));
  expect(realpathSync(path.join(dir, 'node_modules'))).toBe(path.join(folder, 'node_modules'));
  expect(waits).toEqual([]);
});

test('it is removed with all that git knows of it, once or twice', async () => {
  const opened = await open('v1');
  expect(left()).toHaveLength(1);
  opened.remove();
  opened.remove();
  expect([left(), existsSync(opened.dir)]).toEqual([[], false]);
});

test('dependencies of another lockfile are installed, and where that fails nothing is left', async () => {
  await expect(open('broken')).rejects.toThrow(
    /^--against broken: its dependencies cannot be installed \(.+\)$/,
  );
  await expect(open('broken')).rejects.toBeInstanceOf(MachineError);
  expect(waits).toContain('installing the dependencies of broken');
  expect(left()).toEqual([]);
});

test('an interrupt ends the install, and nothing is left', async () => {
  const interrupt = AbortSignal.abort();
  await expect(checkOut('broken', folder, { ...hooks, interrupt })).rejects.toThrow(/aborted/);
  expect(left()).toEqual([]);
});

test.each(['no-such-branch', '--help', 'HEAD~99'])('%s is no version', async (ref) => {
  await expect(open(ref)).rejects.toBeInstanceOf(UsageError);
  await expect(open(ref)).rejects.toThrow(/there is no such commit, branch or tag here/);
});

test('outside of a repository there is nothing to check out', async () => {
  await expect(checkOut('main', scratch, hooks)).rejects.toThrow(/is in no git repository/);
  expect(commitOf(scratch)).toBeNull();
});

test('what a killed check has left behind is removed by the next one', async () => {
  const { pid } = spawnSync(process.execPath, ['--eval', '']);
  const parent = mkdtempSync(path.join(os.tmpdir(), `wavetank-check-${pid}-`));
  git('worktree', 'add', '--quiet', '--detach', path.join(parent, 'tree'), 'v1');
  await open('v1');
  expect(left()).toHaveLength(1);
  expect(existsSync(parent)).toBe(false);
});

test('the commit of a folder, and whether files differ from it', () => {
  expect(commitOf(folder)).toEqual({ commit: git('rev-parse', 'HEAD'), dirty: false });
  write('code.txt', 'third');
  expect(commitOf(folder)?.dirty).toBe(true);
  git('checkout', '--quiet', '.');
});
