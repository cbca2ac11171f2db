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

const patience = { timeout: 20_000, interval: 20 };

/** The supervisor's process, as a child of this one; NaN: there is none. */
function supervisorPid(): number {
  return childPid('targets/supervisor', process.pid);
}

function childPid(entry: string, ofPid: number): number {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((row) => {
    const [, parent, ...args] = row.trim().split(/\s+/);
    return Number(parent) === ofPid && args.join(' ').includes(entry);
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

it('takes a start back at once, whatever the service is doing, and leaves nothing', async () => {
  const ledgerPath = path.join(folder, 'fifo');
  // Whoever opens it to read waits until somebody writes: this service never becomes ready.
  expect(spawnSync('mkfifo', [ledgerPath]).status).toBe(0);
  const cancelling = new AbortController();
  const starting = start({ ledgerPath, cancelled: cancelling.signal });
  const refused = expect(starting).rejects.toThrow('the start of the payment service was taken back');
  let service = NaN;
  await expect
    .poll(() => (service = childPid('targets/payment-service', supervisorPid())), patience)
    .toBeGreaterThan(0);
  cancelling.abort();
  await refused;
  expect(() => process.kill(service, 0)).toThrow('ESRCH');
  expect(supervisorPid()).toBeNaN();
});

it('does not begin a start that was taken back before', async () => {
  await expect(start({ cancelled: AbortSignal.abort() })).rejects.toThrow('was taken back');
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
