/** Leak: what each charge makes the service retain, for ever. */
import type { LeakKind } from '../harness/target-plan.ts';
import type { Swap } from './swap.ts';

export interface Leak {
  /** Retains one more portion. */
  grow(): void;
  /** Portions retained so far. */
  count(): number;
}

/**
 * @param leakBytes of each portion; 0 retains nothing
 * @param swap what each portion may have to pay for
 */
export function createLeak(kind: LeakKind, leakBytes: number, swap?: Swap): Leak {
  const portions: unknown[] = [];
  const portion = kind === 'heap' ? () => heapPortion(leakBytes) : () => Buffer.alloc(leakBytes, 1);
  return {
    grow() {
      if (leakBytes === 0) return;
      portions.push(portion());
      swap?.pageOut(leakBytes);
    },
    count: () => portions.length,
  };
}

interface Entry {
  id: number;
  /** A fraction, so that V8 keeps it in a heap number of its own. */
  cents: number;
  history: number[];
  earlier: Entry | undefined;
}

/** Weight of an entry, so that memory is full before its collection takes too long. */
const entryBytesMax = 1728;

/**
 * Without the numbers in its history, on 64 bits without pointer compression: header of three words and four fields; heap
 * number; the history's header of four words, its elements' of two; the slot in the portion.
 */
const emptyEntryBytes = 24 + 32 + 16 + 32 + 16 + 8;

/**
 * Objects that point to each other. They count against V8's old space, which Buffers do not, and each has to be
 * marked by every full collection: the fuller the heap, the longer and the more frequent the pauses. Between any
 * two that stay, one is made that dies young, so that survivors lie scattered and the collector has to move things as well.
 */
function heapPortion(bytes: number): Entry[] {
  const entries = new Array<Entry>(Math.ceil(bytes / entryBytesMax));
  const historyLength = Math.max(0, Math.floor((bytes / entries.length - emptyEntryBytes) / 8));
  const historyOf = (id: number) => new Array<number>(historyLength).fill(id + 0.5);
  let earlier: Entry | undefined;
  for (let id = 0; id < entries.length; id++) {
    const passing: Entry = { id, cents: id + 0.25, history: historyOf(id), earlier };
    const staying: Entry = { id, cents: passing.cents + 0.25, history: historyOf(id), earlier };
    entries[id] = staying;
    earlier = staying;
  }
  return entries;
}
