import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../patterns/cancellation.ts';
import type { Outcome } from '../patterns/outcome.ts';
import { retry, retryBlind } from '../patterns/retry.ts';
import type { PaymentReceipt } from '../targets/payment.ts';
import { createPaymentClient, type PaymentClient } from '../targets/payment-client.ts';
import { SocketPool } from '../targets/socket-pool.ts';
import { type Claim, ledgerLine, readLedger } from './ledger.ts';
import { startSupervisor, type Supervisor } from './supervisor.ts';
import { parseTarget } from './target-options.ts';
import { defaultTargetPlan, type TargetPlan } from './target-plan.ts';
import { monotonicMs, realClock } from './time.ts';

const folder = mkdtempSync(join(tmpdir(), 'wavetank-faults-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** As long as a start may take on a busy machine. */
const patience = { timeout: 20_000, interval: 20 };
const ledgerPath = join(folder, 'ledger.ndjson');

async function target(
  text: string,
  plan: Partial<TargetPlan> = {},
): Promise<{ supervisor: Supervisor; client: PaymentClient; attempts: Map<string, number> }> {
  rmSync(ledgerPath, { force: true });
  const supervisor = await startSupervisor({
    plan: {
      ...defaultTargetPlan,
      fault: parseTarget(text),
      leakBytes: 0,
      idleLeakBytesPerS: 0,
      restart: { kind: 'constant', delayMs: 10 },
      ...plan,
    },
    ledgerPath,
  });
  cleanups.push(() => supervisor.stop());
  const attempts = new Map<string, number>();
  const pool = new SocketPool({ connectionsMax: 100, idleMax: 20 });
  cleanups.push(() => pool.close());
  const client = createPaymentClient({
    origin: `http://${supervisor.host}:${supervisor.port}`,
    pool,
    onAttempt: ({ orderId }) => attempts.set(orderId, (attempts.get(orderId) ?? 0) + 1),
  });
  return { supervisor, client, attempts };
}

function pay(
  send: PaymentClient['send'],
  number: number,
  key: string | undefined = `key-${number}`,
): Promise<Outcome<PaymentReceipt>> {
  const order = { orderId: `o-${number}`, amountCents: 100 };
  return send(order, { method: 'POST', idempotencyKey: key, cancellation: new Cancellation() });
}

/** How large a file a process may write from now on, in bytes: the disk of a process whose disk is full. */
function limitFiles(pid: number, limit: number | 'unlimited'): void {
  expect(spawnSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`]).status).toBe(0);
}

/** How often each order stands in the ledger. */
function chargesById(): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { orderId } of readLedger(ledgerPath).charges) {
    charges.set(orderId, (charges.get(orderId) ?? 0) + 1);
  }
  return charges;
}

const fast = { baseMs: 1, capMs: 1, retriesMax: 20, jitter: 'none' } as const;
const runtime = { clock: realClock, random: () => 0 };

test('charge-then-die: retry charges every order once, retry-blind as often as it tried, order by order', async () => {
  const { supervisor, client, attempts } = await target('charge-then-die:share=0.3');
  supervisor.beginFaults(monotonicMs());
  const orders = Array.from({ length: 200 }, (_, number) => number);

  const careful = retry(fast, runtime)(client.send);
  const outcomes = await Promise.all(orders.map((number) => pay(careful, number)));
  expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
  expect(chargesById()).toEqual(new Map([...attempts.keys()].map((orderId) => [orderId, 1])));
  expect(Math.max(...attempts.values())).toBeGreaterThan(1);

  const { supervisor: second, client: other, attempts: tried } = await target('charge-then-die:share=0.3');
  second.beginFaults(monotonicMs());
  const blind = retryBlind(fast, runtime)(other.send);
  await Promise.all(
    orders.map((number) =>
      blind(
        { orderId: `o-${number}`, amountCents: 100 },
        { method: 'POST', cancellation: new Cancellation() },
      ),
    ),
  );
  expect(chargesById()).toEqual(tried);
  expect(Math.max(...tried.values())).toBeGreaterThan(1);
});

/** Claims that were not followed by their charge. */
function claimsCutShort(): readonly Claim[] {
  const { claims, charges } = readLedger(ledgerPath);
  const charged = new Set(charges.map((charge) => charge.key));
  return claims.filter((claim) => !charged.has(claim.key));
}

test('stall: the service freezes between claim and charge, is killed, comes back, and stays', async () => {
  const { supervisor, client } = await target('stall:afterMs=100,forMs=200', { down: 'refuse' });
  supervisor.beginFaults(monotonicMs());
  const askedAtMs = new Map<string, number>();
  for (let number = 1; claimsCutShort().length === 0; number++) {
    askedAtMs.set(`o-${number}`, monotonicMs());
    await pay(client.send, number);
  }
  const [claim] = claimsCutShort();
  await vi.waitFor(() => {
    expect(supervisor.story().exits[0]).toMatchObject({ signal: 'SIGKILL', reason: 'killed' });
  }, patience);
  const diedAtMs = supervisor.story().exits[0]?.atMs ?? 0;
  expect(diedAtMs - Number(askedAtMs.get(String(claim?.orderId)))).toBeGreaterThanOrEqual(200);

  const stubborn = retry({ ...fast, baseMs: 20, capMs: 20, retriesMax: 1000 }, runtime)(client.send);
  expect(await pay(stubborn, Number(claim?.orderId.slice(2)))).toMatchObject({ ok: true });
  expect(supervisor.story().exits).toHaveLength(1);
});

test('kill: the service dies between claim and charge, comes back, and a retry with the same key charges once', async () => {
  const { supervisor, client } = await target('kill:everyMs=300ms', { down: 'refuse' });
  supervisor.beginFaults(monotonicMs());
  for (let number = 1; claimsCutShort().length === 0; number++) await pay(client.send, number);
  const [claim] = claimsCutShort();
  await vi.waitFor(() => {
    expect(supervisor.story().exits[0]).toMatchObject({
      signal: 'SIGKILL',
      shownCode: 137,
      reason: 'killed',
    });
  }, patience);

  const stubborn = retry({ ...fast, baseMs: 20, capMs: 20, retriesMax: 1000 }, runtime)(client.send);
  expect(await pay(stubborn, Number(claim?.orderId.slice(2)))).toMatchObject({ ok: true });
  expect(chargesById().get(String(claim?.orderId))).toBe(1);
});

test('flap: connections break and new ones are refused while the process lives; then it serves again', async () => {
  const { supervisor, client } = await target('flap:upMs=300,downMs=300');
  expect(await pay(client.send, 1)).toMatchObject({ ok: true });
  supervisor.beginFaults(monotonicMs());
  const until = (kind: string) =>
    vi.waitFor(async () => {
      const outcome = await pay(client.send, 2);
      expect(outcome.ok ? 'ok' : outcome.failure.kind).toBe(kind);
    }, patience);
  await until('refused');
  await until('ok');
  await until('refused');
  expect(supervisor.story().exits).toEqual([]);
});

test('refuse: nobody is there from its moment on, though the process lives', async () => {
  const { supervisor, client } = await target('refuse');
  expect(await pay(client.send, 1)).toMatchObject({ ok: true });
  supervisor.beginFaults(monotonicMs());
  await vi.waitFor(async () => {
    expect(await pay(client.send, 2)).toMatchObject({ failure: { kind: 'refused' } });
  }, patience);
  expect(supervisor.state()).toBe('up');
});

test('slow: a second attempt while the first is still under way is told when to come again, and gets its receipt then', async () => {
  const { supervisor, client } = await target('slow:latencyMs=500,rampMs=0');
  supervisor.beginFaults(monotonicMs() - 1);
  const first = pay(client.send, 1);
  await vi.waitFor(() => {
    expect(readLedger(ledgerPath).claims).toHaveLength(1);
  }, patience);
  expect(await pay(client.send, 1)).toMatchObject({
    failure: { kind: 'http-4xx', status: 409, retryAfterMs: 1000 },
  });
  expect(await pay(retry(fast, runtime)(client.send), 1)).toMatchObject({
    ok: true,
    value: { replayed: true },
  });
  expect(await first).toMatchObject({ ok: true, value: { replayed: false } });
  expect(chargesById()).toEqual(new Map([['o-1', 1]]));
});

test('hang: a payment is neither answered nor charged', async () => {
  const { supervisor, client } = await target('hang');
  supervisor.beginFaults(monotonicMs() - 1);
  const cancellation = new Cancellation();
  const hung = client.send({ orderId: 'o-1', amountCents: 1 }, { method: 'POST', cancellation });
  const first = await Promise.race([hung, new Promise((resolve) => setTimeout(resolve, 200, 'nothing'))]);
  expect(first).toBe('nothing');
  cancellation.cancel('enough');
  expect(await hung).toMatchObject({ failure: { kind: 'cancelled' } });
  expect(chargesById().size).toBe(0);
});

test.each([
  ['claim', 0],
  ['charge', 1],
])(
  'a disk without room for the %s: nothing is charged, the client is told why, and with room again it charges',
  async (_what, claims) => {
    const { supervisor, client } = await target('healthy');
    expect(await pay(client.send, 1)).toMatchObject({ ok: true });
    const [first] = readLedger(ledgerPath).claims;
    const claimBytes = Buffer.byteLength(ledgerLine(first ?? expect.fail('no claim')));
    const pid = Number(supervisor.story().starts.at(-1)?.pid);
    // Half a line more than there is, and the claim where that fits.
    limitFiles(pid, statSync(ledgerPath).size + claims * (claimBytes + 10) + 20);
    expect(await pay(client.send, 2)).toMatchObject({ failure: { kind: 'http-5xx', status: 503 } });
    expect(await pay(client.send, 2)).toMatchObject({ failure: { kind: 'http-5xx', status: 503 } });
    const { charges, claims: claimed, torn } = readLedger(ledgerPath);
    expect([charges.length, claimed.length, torn]).toEqual([1, 1 + claims, 0]);
    await vi.waitFor(() => {
      expect(supervisor.story().ledgerError).toMatch(/^EFBIG/);
    }, patience);
    limitFiles(pid, 'unlimited');
    expect(await pay(client.send, 2)).toMatchObject({ ok: true, value: { replayed: false } });
    expect(chargesById()).toEqual(new Map([1, 2].map((number) => [`o-${number}`, 1])));
  },
);

test('a torn last line: it is dropped and counted, and what is charged later is not glued to it', async () => {
  const { supervisor, client } = await target('healthy', { down: 'refuse' });
  expect(await pay(client.send, 1)).toMatchObject({ ok: true });
  process.kill(Number(supervisor.story().starts[0]?.pid), 'SIGKILL');
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('down');
  }, patience);
  appendFileSync(ledgerPath, '{"paymentId":"pay-2","ord');
  await vi.waitFor(() => {
    expect(supervisor.state()).toBe('up');
  }, patience);
  expect(await pay(client.send, 2)).toMatchObject({ ok: true, value: { paymentId: 'pay-2' } });
  expect(readLedger(ledgerPath).torn).toBe(0);
  expect(chargesById()).toEqual(new Map([1, 2].map((number) => [`o-${number}`, 1])));
  expect((await supervisor.stop()).tornLines).toBe(1);
});

test('the required key: a payment without one is refused with 400', async () => {
  const { client } = await target('healthy', { keyRequired: true });
  const call = { method: 'POST', cancellation: new Cancellation() };
  expect(await client.send({ orderId: 'o-1', amountCents: 1 }, call)).toMatchObject({
    failure: { kind: 'http-4xx', status: 400 },
  });
  expect(await pay(client.send, 1)).toMatchObject({ ok: true });
});
