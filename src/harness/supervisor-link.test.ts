import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../patterns/usage-error.ts';
import { MachineError } from './machine-error.ts';
import { startSupervisorLink } from './supervisor-link.ts';
import { defaultTargetPlan } from './target-plan.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function start(more: Partial<Parameters<typeof startSupervisorLink>[0]> = {}) {
  return startSupervisorLink({
    plan: defaultTargetPlan,
    ledgerPath: path.join(folder, 'ledger.ndjson'),
    ...more,
  });
}

/** The supervisor's process, as a child of this one. */
function supervisorPid(): number {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((row) => {
    const [, parent, ...args] = row.trim().split(/\s+/);
    return Number(parent) === process.pid && args.join(' ').includes('targets/supervisor');
  });
  return Number(line?.trim().split(/\s+/)[0]);
}

it('answers at the address it names, and tells the whole story when it is stopped', async () => {
  let heard = 0;
  const link = await start({ onSample: () => (heard += 1) });
  expect((await fetch(`http://${link.host}:${link.port}/healthz`)).status).toBe(200);
  await expect.poll(() => heard).toBeGreaterThan(0);
  const story = await link.stop();
  expect(story.starts).toHaveLength(1);
  expect(story.exits).toMatchObject([{ reason: 'stopped' }]);
  expect(story.samples).toHaveLength(heard);
});

it('says in one line that a port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(start({ port })).rejects.toThrow(UsageError);
  await expect(start({ port })).rejects.toThrow(/is taken/);
  server.close();
});

it('says once that its supervisor is gone, and has no story to tell then', async () => {
  const broken: Error[] = [];
  const link = await start({ onBroken: (error) => broken.push(error) });
  process.kill(supervisorPid(), 'SIGKILL');
  await expect.poll(() => broken).toHaveLength(1);
  expect(broken[0]).toBeInstanceOf(MachineError);
  await expect(link.stop()).rejects.toThrow(/ended unexpectedly/);
  expect(broken).toHaveLength(1);
});
