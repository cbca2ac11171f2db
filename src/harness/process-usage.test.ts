import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { forgetUsage, residentBytes, usageOf } from './process-usage.ts';

afterAll(forgetUsage);

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('memory and CPU of a living process', async () => {
  const usage = await usageOf(process.pid);
  expect(Number(usage?.rssBytes) / process.memoryUsage.rss()).toBeCloseTo(1, 0);
  expect(usage?.cpuPercent).toBeGreaterThanOrEqual(0);
});

test('H58: a dead process has no usage, which is an answer and not an error', async () => {
  const pid = deadPid();
  expect(await usageOf(pid)).toBeUndefined();
  expect(residentBytes(pid)).toBeUndefined();
});

test('resident memory from /proc is what the process itself says, and unknown where there is no /proc', () => {
  const bytes = residentBytes(process.pid);
  if (existsSync('/proc/self/status')) expect(Number(bytes) / process.memoryUsage.rss()).toBeCloseTo(1, 0);
  else expect(bytes).toBeUndefined();
});
