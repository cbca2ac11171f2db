import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { tsxExecArgv } from './harness/entry.ts';
import type { CheckRecord } from './harness/check/check-record.ts';
import { checkRecordSchema } from './harness/check/check-record.ts';
import type { Result } from './harness/result.ts';
import { sampleResult, sampleTrial } from './harness/trial.test.kit.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-'));
const root = fileURLToPath(new URL('..', import.meta.url));
afterEach(() => {
  rmSync(path.join(scratch, 'runs'), { recursive: true, force: true });
});
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], cwd = root) {
  const entry = path.join(root, 'src/check.ts');
  const history = path.join(scratch, 'runs/history.ndjson');
  const child = spawn(
    process.execPath,
    [...tsxExecArgv, entry, '--out', path.join(scratch, 'runs'), '--history', history, ...args],
    {
      cwd,
      env: { ...process.env, TMPDIR: scratch, GITHUB_STEP_SUMMARY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...said }));
  return { child, ended, said };
}

const check = (...args: string[]) => start(args).ended;

/** A run of five trials whose orders took so long. */
function writeRun(name: string, unitUs: number, change: Partial<Result> = {}): string {
  const dir = path.join(scratch, name);
  mkdirSync(dir, { recursive: true });
  const trials = [0.98, 1.01, 1, 0.99, 1.02].map((noise) => sampleTrial(Math.round(unitUs * noise)));
  const result = { ...sampleResult({ breaker: trials }), ...change };
  writeFileSync(path.join(dir, 'result.json'), JSON.stringify(result));
  return dir;
}

/** What checks leave besides their results: folders that tsx and nobody else keeps apart. */
function left(): string[] {
  return readdirSync(scratch).filter((name) => name.startsWith('wavetank-'));
}

describe('two results', () => {
  const slow = writeRun('slow', 2000);
  const quick = writeRun('quick', 1000);

  test('a worse one ends with 1, and says in one line what is worse', async () => {
    const { code, stdout } = await check(quick, slow, '--only', 'orderP95,goodput');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^worse: order response p95/m);
  });

  test('the same twice ends with 0, and only what was measured is asked', async () => {
    const { code, stdout } = await check(quick, quick, '--strict');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^same: /m);
  });

  test.each([
    [['--set', 'breaker.openMs=1s'], /--set belongs to what is measured now/],
    [['--pattern', 'retry'], /has no stack "retry"; allowed: breaker/],
    [['--limit', 'healthy:orders.responseUs.p50<=1ms'], /is on the healthy scenario/],
  ])('%j is refused', async (flags, message) => {
    const { code, stdout, stderr } = await check(quick, quick, ...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a check leaves its record, and a line in the history', async () => {
    await check(quick, slow, '--only', 'orderP95');
    const runs = path.join(scratch, 'runs');
    const [folder = ''] = readdirSync(runs).filter((name) => name !== 'history.ndjson');
    const json: unknown = JSON.parse(readFileSync(path.join(runs, folder, 'check.json'), 'utf8'));
    expect(checkRecordSchema.parse(json).verdict).toBe('worse');
    expect(readFileSync(path.join(runs, 'history.ndjson'), 'utf8').split('\n')).toHaveLength(2);
  });

  test('a limit alone can be broken', async () => {
    const { code, stdout } = await check(
      quick,
      quick,
      '--only',
      'goodput',
      '--limit',
      'orders.responseUs.p50<=1ms',
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/broken/);
  });

  test.each([
    ['other options', { options: { target: 'kill:everyMs=1000' } }, /differ in the option target/],
    ['another machine', { host: { ...sampleResult({}).host, cpu: 'abacus' } }, /differ in the machine's cpu/],
    [
      'another Node',
      { host: { ...sampleResult({}).host, node: 'v99.1.0' } },
      /differ in the version of Node/,
    ],
  ] satisfies [string, Partial<Result>, RegExp][])('%s are not compared', async (_, change, message) => {
    const { code, stdout, stderr } = await check(quick, writeRun('other', 1000, change));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('two trials are too few', async () => {
    const short = writeRun('short', 1000, sampleResult({ breaker: [sampleTrial(1000), sampleTrial(1000)] }));
    const { code, stderr } = await check(quick, short);
    expect(code).toBe(2);
    expect(stderr).toMatch(/has 2 trials; allowed: at least 3/);
  });
});

describe('bad input ends with 2 and one line, before anything is measured', () => {
  test.each([
    [[], /nothing to check against; give --against REF/],
    [['--against', 'main', '--with', '--rate 5'], /more than one thing to compare with/],
    [['--against', 'no-such-ref'], /--against no-such-ref: there is no such commit/],
    [['--with', '--rat 5'], /unknown option '--rat'/],
    [['--with', '--trials 5'], /one stack at a time, in trials of its own/],
    [['--with', '', '--pattern', 'retry,breaker'], /one stack at a time/],
    [['--with', '', '--only', 'speed'], /there is no metric "speed"; allowed: responseP50/],
    [
      ['--with', '', '--effect', 'responseP50=0%'],
      /the effect of responseP50 is "0%"; allowed: a share such as 5%/,
    ],
    [['--with', '', '--budget', '1s'], /allowed: a duration from 10s to 4h/],
    [['--with', '', '--config', 'nowhere.ts'], /--config nowhere.ts: there is no such file/],
    [['--baseline', 'runs/nothing-there'], /does not exist/],
    [['runs/one'], /1 results to compare; allowed: two/],
    [['--self-test', '--recording', 'nowhere.json'], /nowhere.json does not exist; make it with/],
    [['--with', '', '--recording', 'x.json'], /--recording and --record belong to --self-test/],
  ] satisfies [string[], RegExp][])('%j', async (args, message) => {
    const { code, stdout, stderr } = await check(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(left()).toEqual([]);
  });

  test.each([
    ['throw new Error("no")', /wavetank.config.mjs cannot be loaded: no/],
    ['export const pattern = 1', /wavetank.config.mjs has no default export/],
    ['export default { patern: "retry" }', /Unrecognized key: "patern"/],
  ])('a config that says %s', async (text, message) => {
    writeFileSync(path.join(scratch, 'wavetank.config.mjs'), text);
    const { code, stderr } = await start(['--with', '--rate 5'], scratch).ended;
    rmSync(path.join(scratch, 'wavetank.config.mjs'));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a check that measures', { timeout: 120_000 }, () => {
  const quickly = [
    '--only',
    'responseP50,duplicates',
    '--pattern',
    'retry',
    '--budget',
    '12s',
    '--format',
    'json',
  ];

  test('measures both sides of a round, and never calls so few rounds worse', async () => {
    const { code, stdout } = await check('--with', '--set retry.baseMs=50', ...quickly);
    const record = JSON.parse(stdout) as CheckRecord;
    expect(code).toBe(0);
    expect(record.rounds[0]?.pairs.map(({ scenario }) => scenario)).toEqual(['healthy', 'failing']);
    expect(record.rounds[0]?.pairs.every(({ a, b }) => a !== null && Object.keys(b).length > 0)).toBe(true);
    expect(left()).toEqual([]);
  });

  test('a side that cannot be measured is named, and nothing is left running', async () => {
    // What only the measured process finds out.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await check('--with', `--gateway-port ${port}`, ...quickly);
    server.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(`with --gateway-port ${port}: --gateway-port ${port} is taken`);
    expect(left()).toEqual([]);
  });

  test('Ctrl-C ends it with 130 and leaves nothing', async () => {
    const run = start(['--with', '--set retry.baseMs=50', ...quickly.slice(0, -2)]);
    await expect.poll(() => run.said.stderr, { timeout: 20_000 }).toMatch(/round 1/);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(left()).toEqual([]);
    expect(readdirSync(path.join(scratch, 'runs'))).toEqual([]);
  });
});
