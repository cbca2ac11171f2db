import { execFileSync } from 'node:child_process';
import { setFlagsFromString, getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { entryExecArgv } from '../harness/entry.ts';
import { createLeak } from './leak.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** What `act` adds to a number that is read after a full collection. */
function growth(read: () => number, act: () => void): number {
  gc();
  const before = read();
  act();
  gc();
  return read() - before;
}

function grow(leak: { grow(): void }, times: number): void {
  for (let time = 0; time < times; time++) leak.grow();
}

test.each([1024, 64 * 1024, 1024 * 1024])(
  'a heap leak of %i bytes retains that much of V8’s heap, within a fifth',
  (bytes) => {
    const leak = createLeak('heap', bytes);
    const times = (32 * 1024 * 1024) / bytes;
    const grown = growth(
      () => getHeapStatistics().used_heap_size,
      () => {
        grow(leak, times);
      },
    );
    expect(grown / times / bytes).toBeGreaterThan(0.8);
    expect(grown / times / bytes).toBeLessThan(1.2);
    expect(leak.count()).toBe(times);
  },
);

test('an rss leak retains that much outside of the heap, and its pages are resident', () => {
  // In a process of its own, where nothing else comes and goes.
  const code = `
    import { createLeak } from '${new URL('leak.ts', import.meta.url).href}';
    const leak = createLeak('rss', 65536);
    const before = process.memoryUsage();
    for (let time = 0; time < 1600; time++) leak.grow();
    const after = process.memoryUsage();
    console.log(JSON.stringify([after.arrayBuffers - before.arrayBuffers, after.rss - before.rss]));`;
  const argv = [...entryExecArgv, '--input-type=module', '--eval', code];
  const [buffers, resident] = JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })) as [
    number,
    number,
  ];
  const bytes = 1600 * 65_536;
  expect(buffers / bytes).toBeCloseTo(1, 1);
  expect(resident / bytes).toBeGreaterThan(0.8);
  expect(resident / bytes).toBeLessThan(1.2);
});

test('an rss leak hardly touches the heap', () => {
  const leak = createLeak('rss', 64 * 1024);
  const grown = growth(
    () => getHeapStatistics().used_heap_size,
    () => {
      grow(leak, 500);
    },
  );
  expect(grown).toBeLessThan(500 * 2048);
});

test('a leak of nothing retains nothing', () => {
  const leak = createLeak('heap', 0);
  grow(leak, 10);
  expect(leak.count()).toBe(0);
});
