import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLedger } from './harness/ledger.ts';
import { resultSchema, type WatchedTrial } from './harness/result.ts';
import { childrenOf, makeScratch, type Run, type Scratch, watchedTrials } from './run.test.kit.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => {
  scratch.remove();
});

const patience = { timeout: 20_000, interval: 5 };
const modest = ['--pattern', 'baseline', '--rate', '50', '--warmup', '500ms'];

/** Where the only run keeps its only ledger. */
function ledgerPath(): string {
  const [folder = expect.fail('no folder for the ledger')] = scratch.left();
  return path.join(scratch.dir, folder, 'ledger-0.ndjson');
}

function servicesOf(run: Run): number[] {
  return childrenOf(run.child.pid).flatMap(childrenOf);
}

async function trialOf(run: Run): Promise<WatchedTrial> {
  const { code, stdout } = await run.ended;
  expect([0, 3]).toContain(code);
  const [trial = expect.fail('no trial')] = watchedTrials(resultSchema.parse(JSON.parse(stdout)));
  const { orders, payments } = trial;
  expect(orders.offered).toBe(orders.confirmed + orders.failed + orders.skipped + orders.inFlightAtEnd);
  expect(payments).toMatchObject({ charged: orders.confirmed + payments.phantoms, lost: 0 });
  return trial;
}

describe('run, when something happens to its ledger', () => {
  it('counts a line that was torn, and loses no order by it', { timeout: 60_000 }, async () => {
    const kill = ['--target', 'kill:everyMs=1s', '--restart-delay', '3s', '--down', 'refuse'];
    const run = scratch.start(...modest, ...kill, '--duration', '6s', '--json');
    await run.saw(/measuring/);
    await expect.poll(() => servicesOf(run), patience).toEqual([]);
    appendFileSync(ledgerPath(), '{"paymentId":"pay-9');
    const { payments, invalidReasons } = await trialOf(run);
    expect(payments.tornLines).toBe(1);
    expect(invalidReasons.join()).not.toMatch(/ledger/);
  });

  it('fails the payments and says why when the disk is full', { timeout: 60_000 }, async () => {
    const run = scratch.start(...modest, '--target', 'healthy', '--duration', '3s', '--json');
    await run.saw(/measuring/);
    await expect.poll(() => readLedger(ledgerPath()).charges.length, patience).toBeGreaterThan(30);
    const [service] = servicesOf(run);
    expect(spawnSync('prlimit', ['--pid', String(service), '--fsize=1:']).status).toBe(0);
    const { orders, payments, valid, invalidReasons } = await trialOf(run);
    expect(orders.byOutcome).toEqual({ 'http-5xx': orders.failed });
    expect(orders.failed).toBeGreaterThan(0);
    expect(payments.phantoms).toBe(0);
    expect(valid).toBe(false);
    expect(invalidReasons.join('\n')).toMatch(
      /^payments failed because the ledger could not be written \(EFBIG.*\)/m,
    );
  });

  it('ends in one line that names the file and the line when it is damaged, and leaves nothing', {
    timeout: 60_000,
  }, async () => {
    const run = scratch.start(...modest, '--target', 'healthy', '--duration', '4s', '--quiet');
    // Quiet, so that its one line is all that it says; that it works shows in its ledger.
    await expect
      .poll(() => (scratch.left().length === 0 ? 0 : readLedger(ledgerPath()).charges.length), patience)
      .toBeGreaterThan(30);
    const file = ledgerPath();
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, 'x', 0);
    closeSync(descriptor);
    expect(await run.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `wavetank: ledger ${file} is damaged: line 1 is neither charge nor claim\n`,
    });
    expect(scratch.left()).toEqual([]);
    expect(readdirSync(scratch.out)).toEqual([]);
  });
});
