/** First in, first out, where anyone may leave from the middle in constant time and nothing of them is kept. */

/** What an item carries so that it can stand in a `Fifo`: its neighbours. Undefined outside. */
export interface Linked {
  earlier: Linked | undefined;
  later: Linked | undefined;
}

/**
 * A list that links the items themselves, so that to wait in it costs no memory. An item stands in one list at most.
 *
 * It is a ring: the list itself stands between its last item and its first, so every item has two neighbours, and can
 * leave without a word to the list.
 */
export class Fifo<T extends Linked> {
  private readonly ends: Linked = { earlier: undefined, later: undefined };

  constructor() {
    this.ends.earlier = this.ends;
    this.ends.later = this.ends;
  }

  /** The item that has waited longest. */
  get first(): T | undefined {
    const { later } = this.ends;
    return later === this.ends ? undefined : (later as T);
  }

  push(item: T): void {
    const last = this.ends.earlier as Linked;
    item.earlier = last;
    item.later = this.ends;
    last.later = item;
    this.ends.earlier = item;
  }
}

/** Whether the item stands in a list. */
export function isInLine(item: Linked): boolean {
  return item.later !== undefined;
}

/** Takes the item out of its list. Harmless if it stands in none. */
export function leaveLine(item: Linked): void {
  const { earlier, later } = item;
  if (earlier === undefined || later === undefined) return;
  earlier.later = later;
  later.earlier = earlier;
  item.earlier = undefined;
  item.later = undefined;
}
