/** Heap: how many bytes of it are in use, once everything that can be freed has been. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** The collector, which Node gives only to those who ask with a flag; it can be asked for late. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Bytes of heap in use after a forced collection. */
export async function heapBytes(): Promise<number> {
  collect ??= collector();
  for (let round = 0; round < 4; round += 1) {
    // What a promise job holds is free only after the job.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
