import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './harness/free-port.test.kit.ts';
import { resultSchema } from './harness/result.ts';
import { makeScratch, type Scratch, watchedTrials } from './run.test.kit.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => {
  scratch.remove();
});

const brief = ['--duration', '2s', '--warmup', '500ms', '--rate', '100'];

/** Writes a module and measures it in front of a service that is well. */
function measureModule(code: string, flag: string) {
  const file = path.join(scratch.dir, 'mine.mjs');
  writeFileSync(file, code);
  return scratch.start('--pattern', file, '--target', 'healthy', ...brief, flag).ended;
}

describe('run, with stacks of others', () => {
  it('measures libraries and every example through the same gateway', { timeout: 120_000 }, async () => {
    const examples = readdirSync('examples').filter((name) => /\.(?:ts|mjs)$/.test(name));
    expect(examples.length).toBeGreaterThanOrEqual(4);
    const patterns = ['cockatiel', 'opossum', ...examples.map((name) => `./examples/${name}`)];
    const { code, stdout, stderr } = await scratch.start(
      '--pattern',
      patterns.join(','),
      '--target',
      'kill:everyMs=1s',
      '--restart-delay',
      '100ms',
      ...brief,
      '--json',
    ).ended;
    // 3: measured, but this host may be too busy at the moment for a valid trial.
    expect([0, 3]).toContain(code);
    expect(stderr).not.toMatch(/Warning/);
    const result = resultSchema.parse(JSON.parse(stdout));
    expect(result.stacks.map(({ name }) => name)).toEqual(patterns);
    expect(result.stacks.map(({ madeBy }) => madeBy?.replace(/ \S+$/, ''))).toEqual(patterns);
    for (const { orders, payments, invalidReasons } of watchedTrials(result)) {
      expect(orders.offered).toBe(orders.confirmed + orders.failed + orders.skipped + orders.inFlightAtEnd);
      expect(payments).toMatchObject({
        charged: orders.confirmed + payments.phantoms,
        lost: 0,
        duplicates: 0,
      });
      expect(orders.confirmed).toBeGreaterThan(0);
      expect(invalidReasons.join()).not.toContain('examples/');
    }
    expect(result.stacks.map(({ trials }) => trials[0]?.breaker != null).slice(0, 2)).toEqual([true, true]);
    expect(scratch.left()).toEqual([]);
  });

  it('marks the trial of a module that misbehaves, and says how', { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await measureModule(
      `let calls = 0;
      console.log('not the result');
      export default (call) => {
        calls += 1;
        if (calls % 3 === 0) throw new Error('every third');
        return calls % 3 === 1 ? call() : Promise.resolve(calls === 2 ? new Response() : 7);
      };`,
      '--json',
    );
    expect(code).toBe(3);
    const [trial] = watchedTrials(resultSchema.parse(JSON.parse(stdout)));
    expect(trial?.valid).toBe(false);
    expect(trial?.invalidReasons).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/mine\.mjs threw in \d+ calls to payments, first: Error: every third$/),
        expect.stringMatching(/mine\.mjs answered \d+ calls to payments with 7, which is not a Response$/),
      ]),
    );
    expect(trial?.orders.confirmed).toBeGreaterThan(0);
    expect(stderr).toContain('not the result');
  });

  it('ends in one line when a module ends the gateway', { timeout: 60_000 }, async () => {
    const { code, stderr } = await measureModule(
      `let calls = 0;
      export default (call) => {
        calls += 1;
        if (calls === 20) setTimeout(() => { throw new Error('too many'); }, 0);
        return call();
      };`,
      '--quiet',
    );
    expect(code).toBe(2);
    expect(stderr.trim()).toMatch(/^wavetank: \S+mine\.mjs has ended the gateway: .*Error: too many$/);
    expect(scratch.left()).toEqual(['mine.mjs']);
  });

  it('ends in one line when a module cannot be loaded a second time', { timeout: 60_000 }, async () => {
    const { code, stderr } = await measureModule(
      `if (globalThis.loaded) throw new Error('only once');
      globalThis.loaded = true;
      export default (call) => call();`,
      '--quiet',
    );
    expect(code).toBe(2);
    expect(stderr.trim()).toMatch(
      /^wavetank: the gateway cannot be started: \S+mine\.mjs .*Error: only once; .*$/,
    );
    expect(scratch.left()).toEqual(['mine.mjs']);
  });

  it('marks a trial in which calls never settle, and comes to an end', { timeout: 120_000 }, async () => {
    const { code, stdout } = await measureModule(
      `let calls = 0;
      export default (call) => {
        calls += 1;
        return calls === 5 ? new Promise(() => {}) : call();
      };`,
      '--json',
    );
    expect(code).toBe(3);
    const [trial] = watchedTrials(resultSchema.parse(JSON.parse(stdout)));
    expect(trial?.invalidReasons).toEqual(
      expect.arrayContaining([expect.stringMatching(/mine\.mjs never settled 1 call to payments$/)]),
    );
  });

  it('refuses a module before anything starts', async () => {
    const { code, stdout, stderr } = await scratch.start('--pattern', './not-there.ts').ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^wavetank: \.\/not-there\.ts does not exist; .*\n$/);
    expect(scratch.left()).toEqual([]);
  });
});

describe('run, with a service of the user', () => {
  let server: Server;
  const seen: string[] = [];
  beforeEach(async () => {
    seen.length = 0;
    server = createServer((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
      request.resume().once('end', () => {
        response
          .writeHead(201, { 'content-type': 'application/json' })
          .end(JSON.stringify({ paymentId: `p${seen.length}` }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('shows what nobody knows of it as not measured', { timeout: 60_000 }, async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stdout } = await scratch.start(
      '--pattern',
      'breaker',
      '--target',
      origin,
      ...brief,
      '--orders',
    ).ended;
    expect([0, 3]).toContain(code);
    expect(new Set(seen)).toEqual(new Set(['POST /payments']));
    expect(stdout).toMatch(/^deaths of the service +-$/m);
    expect(stdout).toMatch(/^service down, s +-$/m);
    expect(stdout).toMatch(/^orders charged +-$/m);
    expect(stdout).toMatch(/^ +charged, not confirmed +-$/m);
    const [run = ''] = readdirSync(scratch.out);
    const files = readdirSync(path.join(scratch.out, run));
    expect(files).toEqual(
      expect.arrayContaining(['result.json', 'report.html', 'orders.csv', 'timeline.svg']),
    );
  });

  it('refuses one that is not there before anything starts', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await scratch.start('--target', origin).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `wavetank: --target ${origin}: nothing listens there (connection refused); start the service first\n`,
    );
  });

  it('does not load machines of others', async () => {
    const { code, stderr } = await scratch.start('--target', 'http://192.0.2.1:3000').ended;
    expect(code).toBe(2);
    expect(stderr).toContain('--allow-remote 192.0.2.1');
  });
});
