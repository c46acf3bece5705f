/**
 * Entries by key whose order is renewed often, as of those that are sorted by their last use. A Map whose entries are
 * deleted and set again does the same at the cost that `linked-list.ts` tells of.
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

export class LinkedMap<K, V> {
  readonly #entries = new Map<K, LinkedEntry<K, V>>();
  readonly #order = new LinkedList<LinkedEntry<K, V>>();

  get size(): number {
    return this.#entries.size;
  }

  get first(): LinkedEntry<K, V> | undefined {
    return this.#order.first;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** At the end; takes the place of what the key had. */
  set(key: K, value: V): void {
    this.delete(key);
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
    return this.#entries.delete(key);
  }

  /** In their order. The one that was given last may be deleted meanwhile, no other. */
  [Symbol.iterator](): Generator<LinkedEntry<K, V>> {
    return this.#order[Symbol.iterator]();
  }

  /** All of them as they are now. */
  toArray(): LinkedEntry<K, V>[] {
    return this.#order.toArray();
  }
}
