import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { ownModuleUrl } from './own-bundle.ts';
import { checkOwnModule } from './own-check.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-own-'));
  // What is bundled goes to a temporary folder until the process ends, which this one's worker does not live to see.
  vi.stubEnv('TMPDIR', dir);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

let modules = 0;

/** Writes a module and has it tried, as `run` does. */
async function check(code: string, ending = 'mjs', limitMs = 10_000): Promise<string> {
  modules += 1;
  const file = path.join(dir, `module-${modules}.${ending}`);
  writeFileSync(file, code);
  const url = await ownModuleUrl(file);
  return checkOwnModule({ file: 'mine', url }, limitMs);
}

describe('a module that can be measured', () => {
  it.each([
    ['a layer', 'mjs', 'export default (next) => (request, call) => next(request, call);', 'layers'],
    ['a stack', 'js', "import { retry } from 'wavetank'; export default [retry()];", 'layers'],
    ['a function', 'mjs', 'export default (call) => call();', 'function'],
    ['a function of CommonJS', 'cjs', 'module.exports = (call) => call();', 'function'],
    [
      'a function in TypeScript',
      'ts',
      "import type { CallWrapper } from 'wavetank'; export default ((call) => call()) satisfies CallWrapper;",
      'function',
    ],
  ])('is %s in a .%s', async (_, ending, code, kind) => {
    expect(await check(code, ending)).toBe(kind);
  });

  it('finds its neighbours', async () => {
    writeFileSync(path.join(dir, 'neighbour.ts'), 'export const own = <T>(call: () => T): T => call();');
    expect(await check("export { own as default } from './neighbour.ts';", 'ts')).toBe('function');
  });
});

describe('a module that cannot be measured', () => {
  it('is no file', async () => {
    await expect(ownModuleUrl(dir)).rejects.toThrow(/ is no file; --pattern takes a file that ends in/);
  });

  it.each([
    ['has no default export', 'export const own = 1;', 'mine exports nothing by default; allowed: a layer'],
    ['exports something else', 'export default 7;', 'mine exports 7 by default; allowed: a layer'],
    ['exports no layers', 'export default [];', 'mine exports an empty array by default'],
    ['exports other things', 'export default [7];', 'mine exports an array with 7 in it by default'],
    ['throws at load', "throw new Error('no\\nconfig');", 'mine cannot be loaded: Error: no config'],
    [
      'throws in a call',
      "export default () => { throw new Error('no'); };",
      'mine throws although its call succeeds: Error: no',
    ],
    [
      'rejects a call',
      "export default [() => async () => { throw new Error('no'); }];",
      'mine throws although its call succeeds: Error: no',
    ],
    ['answers nothing', 'export default async () => {};', 'mine answers a call that succeeds with undefined'],
    [
      'answers no outcome',
      'export default () => async () => 7;',
      'mine answers a call that succeeds with 7; allowed: an outcome',
    ],
    ['ends its thread', 'process.exit(0);', 'mine was not loaded: its thread ended'],
    [
      'leaves a call without an answer and nothing to wait for',
      'export default () => new Promise(() => {});',
      'mine did not answer a call that succeeds: its thread ended',
    ],
    [
      'fails outside of a call',
      "setTimeout(() => { throw new Error('late'); }, 0); export default () => new Promise(() => {});",
      'mine cannot be used: Error: late',
    ],
  ])('%s', async (_, code, message) => {
    const checked = check(code);
    await expect(checked).rejects.toThrow(UsageError);
    await expect(checked).rejects.toThrow(message);
    await expect(checked).rejects.not.toThrow(/\n/);
  });

  it.each([
    [
      'is never loaded',
      'setInterval(() => {}, 1000); await new Promise(() => {}); export default 1;',
      'was not loaded',
    ],
    [
      'never answers a call',
      'setInterval(() => {}, 1000); export default () => new Promise(() => {});',
      'did not answer a call that succeeds',
    ],
    ['blocks its thread', 'while (true);', 'was not loaded'],
  ])('%s', async (_, code, failed) => {
    await expect(check(code, 'mjs', 2000)).rejects.toThrow(`mine ${failed} within 2 s`);
  });

  it('is broken: the line says where', async () => {
    await expect(check('export default (\n}', 'ts')).rejects.toThrow(/cannot be loaded: \S+:2:\d+: /);
  });

  it('needs a package that is not there', async () => {
    await expect(check("import 'not-a-package-of-anyone';")).rejects.toThrow(
      /cannot be loaded: .*not-a-package-of-anyone/,
    );
  });
});
