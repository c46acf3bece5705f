/**
 * Entries by key whose order is renewed often, as of those that are sorted by their last use, or that come and go with
 * requests. A Map whose entries are deleted and set again does the same at the cost that `linked-list.ts` tells of: in
 * this one keys stay for a while when their entries have gone, and then it is made anew.
 */
import { LinkedList, ListNode } from './linked-list';

export class LinkedEntry<K, V> extends ListNode<LinkedEntry<K, V>> {
  readonly key: K;
  readonly value: V;

  constructor(key: K, value: V) {
    super();
    this.key = key;
    this.value = value;
  }
}

/** So many keys without entries may stay, besides half as many as there are entries. */
const MOST_IDLE_KEYS = 8;

export class LinkedMap<K, V> {
  #entries = new Map<K, LinkedEntry<K, V> | undefined>();
  #idleKeys = 0;
  readonly #order = new LinkedList<LinkedEntry<K, V>>();

  get size(): number {
    return this.#order.size;
  }

  get first(): LinkedEntry<K, V> | undefined {
    return this.#order.first;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#entries.get(key) !== undefined;
  }

  /** At the end; takes the place of what the key had. */
  set(key: K, value: V): void {
    const former = this.#entries.get(key);
    if (former) this.#order.remove(former);
    else if (this.#idleKeys > 0 && this.#entries.has(key)) this.#idleKeys--;
    const entry = new LinkedEntry(key, value);
    this.#entries.set(key, entry);
    this.#order.add(entry);
  }

  /** As `get`; the entry, if there is one, goes to the end. */
  renew(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#order.moveToEnd(entry);
    return entry.value;
  }

  /** Returns whether it was there. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#order.remove(entry);
    this.#entries.set(key, undefined);
    this.#idleKeys++;
    if (this.#idleKeys > MOST_IDLE_KEYS + this.size / 2) this.#forgetIdleKeys();
    return true;
  }

  /** In their order. The one that was given last may be deleted meanwhile, no other. */
  [Symbol.iterator](): Generator<LinkedEntry<K, V>> {
    return this.#order[Symbol.iterator]();
  }

  /** All of them as they are now. */
  toArray(): LinkedEntry<K, V>[] {
    return this.#order.toArray();
  }

  #forgetIdleKeys(): void {
    this.#entries = new Map();
    for (const entry of this.#order) this.#entries.set(entry.key, entry);
    this.#idleKeys = 0;
  }
}
