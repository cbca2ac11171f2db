/** What tests of memory share: how many bytes of heap something keeps. */
/* eslint-disable no-restricted-imports -- only tests import this */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of heap in use after everything that can be freed has been freed. */
export async function heapBytes(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    // What a promise job holds is free only after the job.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes of heap that `work` leaves behind, after it has been done once to warm up. */
export async function bytesKeptBy(work: () => Promise<void>): Promise<number> {
  await work();
  const before = await heapBytes();
  await work();
  return (await heapBytes()) - before;
}
