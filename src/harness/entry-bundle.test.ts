import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tsxExecArgv } from './entry.ts';
import { entryBundle } from './entry-bundle.ts';
import { MachineError } from './machine-error.ts';

const scratch = mkdtempSync(path.join(tmpdir(), 'wavetank-bundle-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** Sources with all entries; each says the word of a file that they share. */
function makeSources(word: string) {
  const root = mkdtempSync(path.join(scratch, 'root-'));
  for (const room of ['harness', 'targets', 'workers'])
    mkdirSync(path.join(root, 'src', room), { recursive: true });
  const write = (name: string, text: string) => {
    writeFileSync(path.join(root, 'src', `${name}.ts`), text);
  };
  write('harness/word', `export const word: string = '${word}';\n`);
  for (const room of ['targets/supervisor', 'targets/payment-service', 'workers/gateway', 'workers/load']) {
    write(room, "import { word } from '../harness/word.ts';\nconsole.log(word);\n");
  }
  for (const room of ['workers/metronome', 'workers/canary', 'workers/own-check', 'targets/user-service'])
    write(room, 'export {};\n');
  return { root, cacheDir: path.join(root, 'cache'), write };
}

function run(folder: string, entry: string) {
  const file = path.join(folder, `${entry}.mjs`);
  return spawnSync(process.execPath, [file], { encoding: 'utf8' });
}

test('an entry runs as plain JavaScript', () => {
  const folder = entryBundle(makeSources('wave'));
  expect(run(folder, 'targets/supervisor').stdout).toBe('wave\n');
});

test('the same sources are bundled once', () => {
  const sources = makeSources('wave');
  const folder = entryBundle(sources);
  const { ino } = statSync(path.join(folder, 'workers/load.mjs'));
  expect(entryBundle(sources)).toBe(folder);
  expect(statSync(path.join(folder, 'workers/load.mjs')).ino).toBe(ino);
});

test('a changed source is picked up, and what runs from the earlier ones keeps its files', () => {
  const sources = makeSources('wave');
  const before = entryBundle(sources);
  sources.write('harness/word', "export const word = 'tank';\n");
  const after = entryBundle(sources);
  expect([before, after].map((folder) => run(folder, 'workers/gateway').stdout)).toEqual([
    'wave\n',
    'tank\n',
  ]);
});

test('another set of packages is another bundle', () => {
  const sources = makeSources('wave');
  const before = entryBundle(sources);
  writeFileSync(path.join(sources.root, 'package-lock.json'), '{}');
  expect(entryBundle(sources)).not.toBe(before);
});

test('a broken source is one line that names the place, and nothing is left', () => {
  const sources = makeSources('wave');
  sources.write('workers/load', 'const a = 1;\nconst b = ;\n');
  const act = () => entryBundle(sources);
  expect(act).toThrow(MachineError);
  expect(act).toThrow(/^src\/workers\/load\.ts:2:11: Unexpected ";"$/);
  expect(readdirSync(sources.cacheDir)).toEqual([]);
});

test('a stack names the functions and lines of code that can be read, below the name of its source', () => {
  const sources = makeSources('wave');
  sources.write('targets/supervisor', "function sink() {\n  throw new Error('sunk');\n}\nsink();\n");
  const folder = entryBundle(sources);
  const { stderr } = run(folder, 'targets/supervisor');
  const [, file = '', line] = /at sink \(file:\/\/(.*):(\d+):\d+\)/.exec(stderr) ?? [];
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines[Number(line) - 1]).toContain('throw new Error("sunk")');
  expect(lines).toContain('// src/targets/supervisor.ts');
});

test('two who make the same bundle at once both have it, and no draft is left', async () => {
  const sources = makeSources('wave');
  const module = new URL('entry-bundle.ts', import.meta.url).href;
  const code = `import { entryBundle } from '${module}'; console.log(entryBundle(${JSON.stringify(sources)}));`;
  const folders = await Promise.all(
    [1, 2].map(async () => {
      const argv = [...tsxExecArgv, '--input-type=module', '--eval', code];
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
      let stdout = '';
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      await once(child, 'close');
      return stdout.trim();
    }),
  );
  const folder = entryBundle(sources);
  expect(folders).toEqual([folder, folder]);
  expect(readdirSync(sources.cacheDir)).toEqual([path.basename(folder)]);
  expect(run(folder, 'workers/load').stdout).toBe('wave\n');
});

test('where nothing can be kept, the bundle lives as long as the process that made it', () => {
  const sources = makeSources('wave');
  writeFileSync(sources.cacheDir, 'a file is in the way');
  const module = new URL('entry-bundle.ts', import.meta.url).href;
  const code = `
    import { existsSync } from 'node:fs';
    import { entryBundle } from '${module}';
    const folder = entryBundle(${JSON.stringify(sources)});
    console.log(JSON.stringify([folder, existsSync(folder + '/workers/load.mjs')]));`;
  const argv = [...tsxExecArgv, '--input-type=module', '--eval', code];
  const { stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  const [folder, wasThere] = JSON.parse(stdout) as [string, boolean];
  expect([wasThere, existsSync(folder)]).toEqual([true, false]);
});

test('bundles that nobody has used for more than a week are removed', () => {
  const sources = makeSources('wave');
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  for (const [name, days] of [
    ['old', 8],
    ['recent', 6],
  ] as const) {
    mkdirSync(path.join(sources.cacheDir, name), { recursive: true });
    utimesSync(path.join(sources.cacheDir, name), daysAgo(days), daysAgo(days));
  }
  const folder = entryBundle(sources);
  expect(readdirSync(sources.cacheDir).sort()).toEqual([path.basename(folder), 'recent'].sort());
});
