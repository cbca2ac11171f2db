import { build, type BuildResult } from 'esbuild';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { describeLayers } from './patterns/stack.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const layersPage = readFileSync(path.join(root, 'docs/layers.md'), 'utf8');
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Code that imports from `wavetank`, as a bundler makes one file of it. */
async function bundle(code: string): Promise<{ text: string; inputs: string[] }> {
  const result: BuildResult<{ write: false; metafile: true }> = await build({
    stdin: { contents: code, resolveDir: root },
    alias: { wavetank: path.join(root, 'src/patterns/index.ts') },
    bundle: true,
    format: 'esm',
    write: false,
    metafile: true,
    absWorkingDir: root,
  });
  const [output] = Object.values(result.metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { text: result.outputFiles[0]?.text ?? '', inputs: inputs.map(([name]) => name) };
}

test('a bundle of one layer has nothing of the others in it', async () => {
  const { text, inputs } = await bundle("import { retry } from 'wavetank'; globalThis.layer = retry();");
  expect(text).toContain('retriesMax');
  expect(inputs).toContain('src/patterns/retry.ts');
  for (const other of ['breaker', 'breaker-core', 'bulkhead', 'timeout', 'options', 'stack', 'sim-clock'])
    expect(inputs).not.toContain(`src/patterns/${other}.ts`);
  expect(text).not.toMatch(/half-open|probesMax|concurrentMax|limitMs/);
});

test('the layers bring no dependency with them', async () => {
  const { inputs } = await bundle("export * from 'wavetank';");
  expect(inputs.length).toBeGreaterThan(20);
  expect(inputs.filter((name) => !name.startsWith('src/patterns/'))).toEqual([]);
});

test('the example of docs/layers.md works as it stands there', async () => {
  const [, code = ''] = /```js example\n(.*?)```/s.exec(layersPage) ?? [];
  const { text } = await bundle(code);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'wavetank-example-'));
  cleanups.push(() => {
    rmSync(dir, { recursive: true });
  });
  const file = path.join(dir, 'example.mjs');
  writeFileSync(file, text);
  const { checkout } = (await import(pathToFileURL(file).href)) as {
    checkout: (url: string, body: string) => Promise<string>;
  };

  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${String(request.headers['idempotency-key'])}`);
    if (seen.length === 1) response.writeHead(503).end();
    else response.end('paid');
  });
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await checkout(url, '{}')).toBe('paid');
  expect(seen).toEqual(['POST order-7', 'POST order-7']);
});

test('docs/layers.md has every option as it is', () => {
  for (const { name, options } of describeLayers()) {
    for (const option of options) {
      const row = `| ${name} | \`${option.name}\` | ${option.default} | ${option.allowed} | ${option.meaning} |`;
      expect(layersPage).toContain(row);
    }
  }
});
