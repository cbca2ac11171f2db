/** What tests of memory share: how many bytes of heap something keeps. */
/* eslint-disable no-restricted-imports -- only tests import this */
import { heapBytes } from '../harness/heap.ts';

/**
 * Bytes of heap that `work` leaves behind each time, after it has been done once to warm up. The lesser of two times:
 * what V8 compiles meanwhile is on the heap as well, some hundred kilobytes now and then, and is not made twice.
 */
export async function bytesKeptBy(work: () => Promise<void>): Promise<number> {
  await work();
  let least = Infinity;
  for (let time = 0; time < 2; time += 1) {
    const before = await heapBytes();
    await work();
    least = Math.min(least, (await heapBytes()) - before);
  }
  return least;
}
