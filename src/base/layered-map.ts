/**
 * An immutable map that shares what it has in common with the map it was made of: a large layer that is never copied
 * for a small change, and a small one with what changed since. Owns no meaning of its keys.
 * Invariant: `with` leaves the map as it was; the small layer stays within a few square roots of the whole, so that
 * a change of one entry among N costs about that many copies, and not N.
 */

/** What stands in the small layer for an entry that is gone. */
const GONE = Symbol('gone');

type Change<V> = V | typeof GONE;

const SMALLEST_LIMIT = 64;
const LIMIT_FACTOR = 4;

export interface LayeredChange<K, V> {
  /** Counts before `set`. */
  readonly remove?: Iterable<K>;
  readonly set?: Iterable<readonly [K, V]>;
}

export class LayeredMap<K, V> {
  readonly #base: ReadonlyMap<K, V>;
  readonly #recent: ReadonlyMap<K, Change<V>>;
  readonly size: number;

  private constructor(base: ReadonlyMap<K, V>, recent: ReadonlyMap<K, Change<V>>, size: number) {
    this.#base = base;
    this.#recent = recent;
    this.size = size;
  }

  static empty<K, V>(): LayeredMap<K, V> {
    return new LayeredMap<K, V>(new Map(), new Map(), 0);
  }

  get(key: K): V | undefined {
    const recent = this.#recent.size === 0 ? undefined : this.#recent.get(key);
    if (recent === undefined) return this.#base.get(key);
    return recent === GONE ? undefined : recent;
  }

  /** Unchanged entries first, in the order in which they came. */
  values(): Iterable<V> {
    if (this.#recent.size === 0) return this.#base.values();
    const values: V[] = [];
    this.#base.forEach((value, key) => {
      if (!this.#recent.has(key)) values.push(value);
    });
    for (const value of this.#recent.values()) if (value !== GONE) values.push(value);
    return values;
  }

  with({ remove = [], set = [] }: LayeredChange<K, V>): LayeredMap<K, V> {
    const recent = new Map(this.#recent);
    let size = this.size;
    const current = (key: K): V | undefined => {
      const value = recent.get(key) ?? this.#base.get(key);
      return value === GONE ? undefined : value;
    };
    for (const key of remove) {
      if (current(key) === undefined) continue;
      recent.delete(key);
      if (this.#base.has(key)) recent.set(key, GONE);
      size--;
    }
    for (const [key, value] of set) {
      if (current(key) === undefined) size++;
      recent.set(key, value);
    }
    if (recent.size <= Math.max(SMALLEST_LIMIT, LIMIT_FACTOR * Math.sqrt(this.#base.size))) {
      return new LayeredMap(this.#base, recent, size);
    }
    const base = new Map(this.#base);
    for (const [key, value] of recent) {
      if (value === GONE) base.delete(key);
      else base.set(key, value);
    }
    return new LayeredMap<K, V>(base, new Map(), size);
  }
}
