/** Kit: `run` as a user starts it, in a process of its own, with a folder of its own for whatever it leaves. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { tsxExecArgv } from './harness/entry.ts';
import type { Result, WatchedTrial } from './harness/result.ts';

export interface Run {
  readonly child: ChildProcess;
  /** Resolves when what was written on stderr so far matches. */
  readonly saw: (pattern: RegExp) => Promise<void>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

export interface Scratch {
  /** What TMPDIR is to the runs. */
  readonly dir: string;
  /** What `--out` is. */
  readonly out: string;
  start(...args: string[]): Run;
  /** What runs have left in `dir` but not in `out`. */
  left(): string[];
  remove(): void;
}

export function makeScratch(): Scratch {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-'));
  const out = path.join(dir, 'runs');
  return {
    dir,
    out,
    start: (...args) => startRun(dir, ['--out', out, ...args]),
    left: () => readdirSync(dir).filter((name) => name !== 'runs' && !name.startsWith('tsx-')),
    remove() {
      rmSync(dir, { recursive: true });
    },
  };
}

/** The trials of a run with a service of its own. */
export function watchedTrials(result: Result): WatchedTrial[] {
  return result.stacks.flatMap(({ trials }) =>
    trials.map((trial) => {
      const { payments, target } = trial;
      if (payments === null || target === null) throw new Error('nobody watched the service');
      return { ...trial, payments, target };
    }),
  );
}

/** Supervisors and services that a process has started. */
export function childrenOf(pid: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join(' ').includes('targets/'))
    .map(([child]) => Number(child));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function startRun(tmpDir: string, args: readonly string[]): Run {
  const entry = fileURLToPath(new URL('run.ts', import.meta.url));
  const child = spawn(process.execPath, [...tsxExecArgv, entry, ...args], {
    // tsx keeps its own cache in TMPDIR, which is not what is looked for here.
    env: { ...process.env, TMPDIR: tmpDir, TSX_DISABLE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    saw: (pattern) => expect.poll(() => stderr, { timeout: 20_000, interval: 20 }).toMatch(pattern),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr })),
  };
}
