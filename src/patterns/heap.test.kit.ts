/** What tests of memory share: how many bytes of heap something keeps. */
/* eslint-disable no-restricted-imports -- only tests import this */
import { heapBytes } from '../harness/heap.ts';

/** Bytes of heap that `work` leaves behind, after it has been done once to warm up. */
export async function bytesKeptBy(work: () => Promise<void>): Promise<number> {
  await work();
  const before = await heapBytes();
  await work();
  return (await heapBytes()) - before;
}
