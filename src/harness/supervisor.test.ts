import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../patterns/cancellation.ts';
import type { Outcome } from '../patterns/outcome.ts';
import { UsageError } from '../patterns/usage-error.ts';
import type { PaymentReceipt } from '../targets/payment.ts';
import { createPaymentClient, type PaymentClient } from '../targets/payment-client.ts';
import { SocketPool } from '../targets/socket-pool.ts';
import { tsxExecArgv } from './entry.ts';
import { readLedger } from './ledger.ts';
import { startSupervisor, type Supervisor, type SupervisorOptions } from './supervisor.ts';
import { defaultTargetPlan, type TargetPlan } from './target-plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'wavetank-supervisor-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const mib = 1024 * 1024;
/** As long as a start may take on a busy machine. */
const patience = { timeout: 20_000, interval: 20 };
let ledgers = 0;

function optionsFor(plan: Partial<TargetPlan>): SupervisorOptions {
  const restart = { kind: 'constant', delayMs: 10 } as const;
  const ledgerPath = join(folder, `ledger-${++ledgers}.ndjson`);
  return { plan: { ...defaultTargetPlan, idleLeakBytesPerS: 0, restart, ...plan }, ledgerPath };
}

async function started(
  options: SupervisorOptions,
): Promise<{ supervisor: Supervisor; client: PaymentClient }> {
  const supervisor = await startSupervisor(options);
  cleanups.push(() => supervisor.stop());
  const pool = new SocketPool({ connectionsMax: 100, idleMax: 20 });
  cleanups.push(() => pool.close());
  const client = createPaymentClient({ origin: `http://${supervisor.host}:${supervisor.port}`, pool });
  return { supervisor, client };
}

function pay(
  client: PaymentClient,
  number: number,
  cancellation = new Cancellation(),
): Promise<Outcome<PaymentReceipt>> {
  const order = { orderId: `o-${number}`, amountCents: 100 };
  return client.send(order, { method: 'POST', idempotencyKey: `key-${number}`, cancellation });
}

/** Pays until the service dies; the order numbers that were confirmed. */
async function payUntilDeath(supervisor: Supervisor, client: PaymentClient): Promise<number[]> {
  const confirmed: number[] = [];
  for (let number = 1; supervisor.story().exits.length === 0 && number < 1000; number++) {
    const cancellation = new Cancellation();
    const answer = pay(client, number, cancellation);
    // A connection that was made just after the death is never answered.
    const watch = setInterval(() => {
      if (supervisor.story().exits.length > 0) cancellation.cancel('dead');
    }, 20);
    if ((await answer).ok) confirmed.push(number);
    clearInterval(watch);
  }
  return confirmed;
}

/** Between one charge and the next, by the service's own clock. */
function gapsMs({ ledgerPath }: SupervisorOptions): number[] {
  const { charges } = readLedger(ledgerPath);
  return charges.slice(1).map((charge, place) => charge.atMs - Number(charges[place]?.atMs));
}

/** Whether a process exists and is more than an entry that nobody has collected. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

function pidOf(supervisor: Supervisor): number {
  return Number(supervisor.story().starts.at(-1)?.pid);
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

/** Runs code in a Node process of its own, with the supervisor's module at hand. */
function intermediate(code: string) {
  const module = new URL('supervisor.ts', import.meta.url).href;
  const argv = [
    ...tsxExecArgv,
    '--input-type=module',
    '--eval',
    `import { startSupervisor } from '${module}'; ${code}`,
  ];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  return child;
}

test('heap leak: the service dies of V8’s own abort and comes back on the same port with its ledger', async () => {
  const options = optionsFor({ leakBytes: 2 * mib, heapBytes: 48 * mib });
  const { supervisor, client } = await started(options);
  const confirmed = await payUntilDeath(supervisor, client);
  expect(confirmed.length).toBeGreaterThan(5);
  const { exits, starts } = supervisor.story();
  expect(exits).toMatchObject([{ signal: 'SIGABRT', code: null, shownCode: 134, reason: 'out-of-memory' }]);
  expect(exits[0]?.uptimeMs).toBe(Number(exits[0]?.atMs) - Number(starts[0]?.atMs));
  expect(exits[0]?.rssBytes).toBeGreaterThan(48 * mib);

  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('up');
  }, patience);
  // What was answered is in the ledger, once, and its key still answers.
  const charged = readLedger(options.ledgerPath).charges.map((charge) => charge.orderId);
  expect(new Set(charged).size).toBe(charged.length);
  expect(charged).toEqual(expect.arrayContaining(confirmed.map((number) => `o-${number}`)));
  const last = Number(confirmed.at(-1));
  expect(await pay(client, last)).toMatchObject({
    ok: true,
    value: { orderId: `o-${last}`, replayed: true },
  });
  expect(readLedger(options.ledgerPath).charges).toHaveLength(charged.length);
});

test('rss leak: the supervisor kills at the limit, which shows as 137', async () => {
  const limit = 200 * mib;
  const { supervisor, client } = await started(
    optionsFor({ leak: 'rss', leakBytes: 4 * mib, memoryLimitBytes: limit }),
  );
  await payUntilDeath(supervisor, client);
  const exit = supervisor.story().exits[0];
  expect(exit).toMatchObject({ signal: 'SIGKILL', shownCode: 137, reason: 'memory-limit' });
  expect(exit?.rssBytes).toBeGreaterThanOrEqual(limit);
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('up');
  }, patience);
});

test('swap: above the limit every charge stalls the service, which is killed when the swap is used up', async () => {
  const options = optionsFor({
    leak: 'rss',
    leakBytes: 4 * mib,
    memoryLimitBytes: 128 * mib,
    swapBytes: 24 * mib,
    swapBytesPerS: 40 * mib,
  });
  const { supervisor, client } = await started(options);
  await payUntilDeath(supervisor, client);
  const exit = supervisor.story().exits[0];
  expect(exit).toMatchObject({ signal: 'SIGKILL', shownCode: 137, reason: 'memory-limit' });
  expect(exit?.rssBytes).toBeGreaterThanOrEqual((128 + 24) * mib);
  // The stall is the least that lies between two charges; nothing can make it shorter.
  expect(gapsMs(options).at(-1)).toBeGreaterThanOrEqual(100);
});

test('swap: a payment that comes during a stall waits for its end', async () => {
  const options = optionsFor({
    leak: 'rss',
    leakBytes: mib,
    memoryLimitBytes: 16 * mib,
    swapBytes: 1024 * mib,
    swapBytesPerS: 2 * mib,
  });
  const { client } = await started(options);
  const answers = await Promise.all([pay(client, 1), pay(client, 2)]);
  expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
  expect(gapsMs(options)[0]).toBeGreaterThanOrEqual(500);
});

test('idle leak: a service that nobody calls dies of it all the same', async () => {
  const { supervisor } = await started(optionsFor({ idleLeakBytesPerS: 200 * mib, heapBytes: 48 * mib }));
  await vi.waitFor(() => {
    expect(supervisor.story().exits).toMatchObject([{ shownCode: 134, reason: 'out-of-memory' }]);
  }, patience);
});

test('hang: a call made while the service is down is never answered, one made after its return is', async () => {
  const { supervisor, client } = await started(optionsFor({}));
  process.kill(pidOf(supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('down');
  }, patience);
  const limit = new Cancellation();
  const during = pay(client, 1, limit);
  await vi.waitFor(() => {
    expect(supervisor.heldConnections()).toBe(1);
  });
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('up');
  }, patience);
  expect(await pay(client, 2)).toMatchObject({ ok: true });
  expect(supervisor.heldConnections()).toBe(1);
  limit.cancel('enough');
  expect(await during).toEqual({ ok: false, failure: { kind: 'cancelled', reason: 'enough' } });
  await vi.waitFor(() => {
    expect(supervisor.heldConnections()).toBe(0);
  });
  expect(supervisor.story().exits).toMatchObject([{ shownCode: 137, reason: 'crashed' }]);
});

test('refuse: a call made while the service is down is refused', async () => {
  const restart = { kind: 'constant', delayMs: 60_000 } as const;
  const { supervisor, client } = await started(optionsFor({ down: 'refuse', restart }));
  expect(await pay(client, 1)).toMatchObject({ ok: true });
  process.kill(pidOf(supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('down');
  }, patience);
  expect(await pay(client, 2)).toMatchObject({ failure: { kind: 'refused' } });
});

test('H58: while there is no process a sample says so with nulls', async () => {
  const restart = { kind: 'constant', delayMs: 60_000 } as const;
  const { supervisor } = await started(optionsFor({ restart }));
  await vi.waitFor(() => {
    expect(supervisor.latestSample()).toMatchObject({ up: true });
  }, patience);
  expect(supervisor.latestSample()?.rssBytes).toBeGreaterThan(10 * mib);
  process.kill(pidOf(supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(supervisor.latestSample()).toMatchObject({ rssBytes: null, cpuPercent: null, up: false });
  }, patience);
});

test('Ctrl-C, which reaches every process of a terminal, does not end the service', async () => {
  const { supervisor, client } = await started(optionsFor({}));
  process.kill(pidOf(supervisor), 'SIGINT');
  expect(await pay(client, 1)).toMatchObject({ ok: true });
  expect(supervisor.story().exits).toEqual([]);
});

test('stopping ends the service and the port, says so in the story, and may be asked for twice', async () => {
  const { supervisor } = await started(optionsFor({}));
  const pid = pidOf(supervisor);
  const [story, again] = await Promise.all([supervisor.stop(), supervisor.stop()]);
  expect(story.exits).toMatchObject([{ pid, signal: 'SIGTERM', shownCode: 143, reason: 'stopped' }]);
  expect(again).toEqual(story);
  expect(supervisor.state()).toBe('stopped');
  expect(isAlive(pid)).toBe(false);
  expect(await isRefused(supervisor.port)).toBe(true);
});

test('stopping in the middle of a restart delay or of a start ends it', async () => {
  const waiting = await started(optionsFor({ restart: { kind: 'constant', delayMs: 3_600_000 } }));
  process.kill(pidOf(waiting.supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(waiting.supervisor.state()).toBe('down');
  }, patience);
  expect((await waiting.supervisor.stop()).exits).toMatchObject([{ reason: 'crashed' }]);

  const starting = await started(optionsFor({}));
  process.kill(pidOf(starting.supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(starting.supervisor.story().exits).toHaveLength(1);
  }, patience);
  await sleep(100);
  const { exits, starts } = await starting.supervisor.stop();
  expect(exits).toMatchObject([{ reason: 'crashed' }, { reason: 'stopped', uptimeMs: 0 }]);
  expect(starts).toHaveLength(1);
  expect(isAlive(Number(exits[1]?.pid))).toBe(false);
});

test('a service that cannot start is one clear line, and nothing is left', async () => {
  const options = optionsFor({});
  appendFileSync(options.ledgerPath, 'damaged\n');
  const pids: number[] = [];
  const failing = startSupervisor({ ...options, onExit: (exit) => pids.push(exit.pid) });
  await expect(failing).rejects.toThrow(
    new Error(
      'the payment service cannot be started (exit code 1: error: ' +
        `ledger ${options.ledgerPath} is damaged: line 1 is neither charge nor claim)`,
    ),
  );
  expect(pids.map(isAlive)).toEqual([false]);
});

test('a service that is not ready in time is killed, and that is one clear line', async () => {
  const pids: number[] = [];
  const failing = startSupervisor({
    ...optionsFor({}),
    startLimitMs: 20,
    onExit: (exit) => pids.push(exit.pid),
  });
  await expect(failing).rejects.toThrow(
    new Error('the payment service cannot be started (not ready after 20 ms)'),
  );
  expect(pids.map(isAlive)).toEqual([false]);
});

test('a memory limit below what the service needs to start is one clear line', async () => {
  const plan = { leak: 'rss', memoryLimitBytes: 20 * mib } as const;
  await expect(startSupervisor(optionsFor(plan))).rejects.toThrow(
    new Error(
      'the payment service cannot be started (it needs more than the memory limit of 20 MB before it is ready)',
    ),
  );
});

test('a service that can no longer be started is given up after three bad starts in a row', async () => {
  const options = optionsFor({});
  const broken: Error[] = [];
  const { supervisor } = await started({ ...options, onBroken: (error) => broken.push(error) });
  appendFileSync(options.ledgerPath, 'damaged\n');
  process.kill(pidOf(supervisor), 'SIGKILL');
  await vi.waitFor(() => {
    expect(broken).toHaveLength(1);
  }, 50_000);
  expect(broken[0]?.message).toMatch(
    /^the payment service cannot be started \(exit code 1: error: ledger .* is neither charge nor claim\)$/,
  );
  const { exits, starts } = await supervisor.stop();
  expect([starts.length, exits.length]).toEqual([1, 4]);
  // Four starts, at the lowest priority.
}, 60_000);

test.each([
  [{ heapBytes: 64 * mib + 1 }, 'heap 67108865 bytes: must be a whole number of MB, at least 1 MB'],
  [{ heapBytes: 0 }, 'heap 0 bytes: must be a whole number of MB, at least 1 MB'],
  [{ leakBytes: -1 }, 'leak -1 bytes: must be 0 or more'],
  [{ swapBytes: Number.NaN }, 'swap NaN bytes: must be 0 or more'],
  [{ swapBytesPerS: 0 }, 'swap rate 0 bytes/s: must be above 0'],
  [{ idleLeakBytesPerS: NaN }, 'idle leak NaN bytes: must be 0 or more'],
])('the impossible plan %o is refused with what is allowed', async (plan, message) => {
  await expect(startSupervisor(optionsFor(plan))).rejects.toThrow(new UsageError(message));
});

test('no service outlives a supervisor that is killed with SIGKILL, not even with a connection open', async () => {
  const parent = intermediate(`
    const supervisor = await startSupervisor(${JSON.stringify(optionsFor({}))});
    console.log(JSON.stringify([supervisor.story().starts[0].pid, supervisor.port]));`);
  const [pid, port] = JSON.parse(String((await once(parent.stdout, 'data'))[0])) as [number, number];
  const pool = new SocketPool({ connectionsMax: 100, idleMax: 20 });
  cleanups.push(() => pool.close());
  const client = createPaymentClient({ origin: `http://127.0.0.1:${port}`, pool });
  expect(await pay(client, 1)).toMatchObject({ ok: true });
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => {
    expect(isAlive(pid)).toBe(false);
  }, patience);
});

test('after deaths and a stop nothing keeps the process from ending', async () => {
  const options = optionsFor({ restart: { kind: 'constant', delayMs: 400 } });
  const parent = intermediate(`
    const ended = new Promise((resolve) => (globalThis.resolve = resolve));
    const supervisor = await startSupervisor({
      ...${JSON.stringify(options)},
      onSample: ({ rssBytes }) => rssBytes === null && globalThis.resolve(),
    });
    process.kill(supervisor.story().starts[0].pid, 'SIGKILL');
    await ended;
    await supervisor.stop();
    console.log('stopped');`);
  const [code] = (await once(parent, 'exit')) as [number | null];
  expect(code).toBe(0);
});
