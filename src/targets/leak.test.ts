import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { tsxExecArgv } from '../harness/entry.ts';
import type { LeakKind } from '../harness/target-plan.ts';
import { createLeak } from './leak.ts';

interface Growth {
  readonly heap: number;
  readonly buffers: number;
  readonly resident: number;
}

/** What a leak adds to the memory of a process of its own, where nothing else comes and goes; after full collections. */
function growth(kind: LeakKind, leakBytes: number, times: number): Growth {
  const code = `
    import { createLeak } from '${new URL('leak.ts', import.meta.url).href}';
    const read = () => {
      gc();
      const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
      return [heapUsed, arrayBuffers, rss];
    };
    const leak = createLeak('${kind}', ${leakBytes});
    const before = read();
    for (let time = 0; time < ${times}; time++) leak.grow();
    const [heap, buffers, resident] = read().map((bytes, index) => bytes - before[index]);
    if (leak.count() !== ${times}) throw new Error('it retains ' + leak.count());
    console.log(JSON.stringify({ heap, buffers, resident }));`;
  const argv = [...tsxExecArgv, '--expose-gc', '--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })) as Growth;
}

test.each([1024, 64 * 1024, 1024 * 1024])(
  'a heap leak of %i bytes retains that much of V8’s heap, within a fifth',
  (bytes) => {
    const times = (32 * 1024 * 1024) / bytes;
    const { heap } = growth('heap', bytes, times);
    expect(heap / times / bytes).toBeGreaterThan(0.8);
    expect(heap / times / bytes).toBeLessThan(1.2);
  },
);

test('an rss leak retains that much outside of the heap, in resident pages, and hardly touches the heap', () => {
  const bytes = 1600 * 65_536;
  const { buffers, resident, heap } = growth('rss', 65_536, 1600);
  expect(buffers / bytes).toBeCloseTo(1, 1);
  expect(resident / bytes).toBeGreaterThan(0.8);
  expect(resident / bytes).toBeLessThan(1.2);
  expect(heap).toBeLessThan(1600 * 2048);
});

test('a leak of nothing retains nothing', () => {
  const leak = createLeak('heap', 0);
  leak.grow();
  expect(leak.count()).toBe(0);
});
