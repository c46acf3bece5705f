/**
 * Objects in an order, each of which can leave or go to the end at once, for what comes and goes with requests.
 *
 * Why no Map or Set: when V8 makes the table of one anew, which happens again and again while entries are added and
 * deleted, and with each `clear`, the former table goes on referring to the new one. Once such a table has grown old,
 * it keeps its successor alive through all collections of the young generation, that one the next, and each of them
 * what it held: everything that a request made then survives until a full collection, and a collection of the young
 * generation takes milliseconds instead of a tenth of one. So long-lived Maps and Sets are only for entries that stay;
 * what changes with each request is kept here, or in a Map that is made anew instead of cleared.
 * Invariant: a node that has left refers to no other, so that it cannot do the same.
 */

/** What can be in one list at a time; only the list changes it. */
export class ListNode<N> {
  previous: N | undefined;
  next: N | undefined;
  isListed = false;
}

export class LinkedList<N extends ListNode<N>> {
  #first: N | undefined;
  #last: N | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): N | undefined {
    return this.#first;
  }

  /** At the end; of one that is in no list. */
  add(node: N): void {
    node.previous = this.#last;
    node.isListed = true;
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
  }

  /** Returns whether it was there. */
  remove(node: N): boolean {
    if (!node.isListed) return false;
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    node.previous = undefined;
    node.next = undefined;
    node.isListed = false;
    this.#size--;
    return true;
  }

  /** Of one that is listed. */
  moveToEnd(node: N): void {
    if (node === this.#last) return;
    this.remove(node);
    this.add(node);
  }

  /** In their order. The one that was given last may leave meanwhile, no other. */
  *[Symbol.iterator](): Generator<N> {
    for (let node = this.#first; node; ) {
      const { next } = node;
      yield node;
      node = next;
    }
  }

  /** All of them as they are now. */
  toArray(): N[] {
    const all: N[] = [];
    for (let node = this.#first; node; node = node.next) all.push(node);
    return all;
  }
}
