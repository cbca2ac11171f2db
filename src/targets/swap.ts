/** Swap: a model of a container whose memory limit is reached, so that each further page has to be paid for. */

export interface Swap {
  /** Pays for `bytes` that were just retained: blocks the caller for what of them lies above the limit. */
  pageOut(bytes: number): void;
}

export interface SwapOptions {
  /** Resident memory from which on pages have to be moved out. */
  readonly limitBytes: number;
  /** How fast they are moved. */
  readonly bytesPerS: number;
  readonly residentBytes: () => number;
  /** Blocks the thread for that long. */
  readonly blockMs: (ms: number) => void;
}

/**
 * At its limit a container gets a new page only after an old one has been written to swap, and the thread that asked for
 * it stands still until then (direct reclaim). Node has one thread for all requests, so every request behind it waits
 * too, and so does a health check. A service that is asked nothing needs no pages: the stall comes with the load and goes
 * with it.
 *
 * It is a model: nothing is really written. What a container would have in swap shows as resident memory above the limit,
 * old pages are never asked for again, and the swap is as fast with its first page as with its last.
 */
export function createSwap({ limitBytes, bytesPerS, residentBytes, blockMs }: SwapOptions): Swap {
  return {
    pageOut(bytes) {
      const aboveBytes = Math.min(bytes, residentBytes() - limitBytes);
      if (aboveBytes > 0) blockMs((aboveBytes / bytesPerS) * 1000);
    },
  };
}

const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread without using the CPU, as waiting for a disk does. */
export function blockThread(ms: number): void {
  Atomics.wait(nobodyWakes, 0, 0, ms);
}
