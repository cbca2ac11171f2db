import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BenchResult } from './harness/bench/bench-result.ts';
import { tsxExecArgv } from './harness/entry.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'wavetank-bench-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** `bench` as a user starts it. */
async function bench(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const entry = fileURLToPath(new URL('bench.ts', import.meta.url));
  const child = spawn(process.execPath, [...tsxExecArgv, entry, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

describe('bench', () => {
  it('measures every library that has the stack, and writes figures and a report', {
    timeout: 120_000,
  }, async () => {
    const out = path.join(folder, 'a', 'b');
    const { code, stdout } = await bench(
      '--json',
      '--rounds',
      '1',
      '--only',
      'breaker+timeout',
      '--out',
      out,
    );
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as BenchResult;
    const named = (name: string) =>
      result.rows.filter((row) => row.name === name).map(({ library }) => library);
    expect(named('bare')).toEqual(['wavetank']);
    for (const what of [
      '',
      ' (100 in flight)',
      ' (5000 in flight)',
      ' (rejected)',
      ' (failing)',
      ' (100k window)',
    ])
      expect(named(`breaker+timeout${what}`)).toEqual(['wavetank', 'cockatiel', 'opossum']);
    for (const { name, ns, ratioToBare, bytesPerPending } of result.rows) {
      expect(ns).toBeGreaterThan(0);
      expect(ratioToBare).toBeGreaterThan(0);
      if (name.includes('(') && !name.includes('slowMs')) expect(bytesPerPending).toBeNull();
      else expect(bytesPerPending).toBeGreaterThan(80);
    }
    const bytesOf = (library: string) =>
      result.rows.find((row) => row.name === 'breaker+timeout' && row.library === library)?.bytesPerPending ??
      0;
    // Half of it, and what a collector may leave.
    expect(bytesOf('wavetank') / bytesOf('opossum')).toBeLessThan(0.55);
    expect(JSON.parse(readFileSync(path.join(out, 'bench.json'), 'utf8'))).toEqual(result);
    expect(readFileSync(path.join(out, 'bench.svg'), 'utf8')).toContain('breaker+timeout (failing)');
    const report = readFileSync(path.join(out, 'report.html'), 'utf8');
    expect(report).toMatch(/<h1>A call through breaker\+timeout takes \S+ of opossum/);
    expect(report).toContain('breaker+timeout (failing)');
  });

  it('prints a table', async () => {
    const { code, stdout } = await bench('--rounds', '1', '--only', 'retry (failing)');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\s+library\s+ns\/call/);
    expect(stdout).toMatch(/^retry \(failing\) +wavetank +[\d,]+ .*\n +cockatiel +[\d,]+ /m);
  });

  it('says in one line what is wrong, and measures nothing', async () => {
    const { code, stdout, stderr } = await bench('--only', 'cockatiel');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^wavetank: .*"cockatiel" is not measured; allowed: bare, retry, .*\n$/);
  });

  it('knows before it measures that it cannot write', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await bench('--only', 'retry', '--out', path.join(file, 'x'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^wavetank: --out \S+: cannot make a folder there \(.*\)\n$/);
    expect(existsSync(path.join(file, 'x'))).toBe(false);
  });
});
