/** First in, first out, where anyone may leave from the middle in constant time and nothing of them is kept. */

/** What an item carries so that it can stand in a `Fifo`: its neighbours. Undefined at the ends and outside. */
export interface Linked<T> {
  earlier: T | undefined;
  later: T | undefined;
}

/** A list that links the items themselves, so that to wait in it costs no memory. An item stands in one list at most. */
export class Fifo<T extends Linked<T>> {
  /** The item that has waited longest. */
  first: T | undefined = undefined;
  private last: T | undefined = undefined;

  push(item: T): void {
    item.earlier = this.last;
    if (this.last === undefined) this.first = item;
    else this.last.later = item;
    this.last = item;
  }

  /** The item must be in this list. */
  remove(item: T): void {
    if (item.earlier === undefined) this.first = item.later;
    else item.earlier.later = item.later;
    if (item.later === undefined) this.last = item.earlier;
    else item.later.earlier = item.earlier;
    item.earlier = undefined;
    item.later = undefined;
  }
}
