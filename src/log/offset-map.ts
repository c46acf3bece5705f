/**
 * The newest offset of each key in a stretch of a log, in a fixed amount of memory: 24 bytes a key, whatever its
 * length. Keys are known by their digest alone. Owns its memory, which is taken when it is first needed; a clearing
 * touches only as much of it as the next stretch can fill. (Kafka: SkimpyOffsetMap.)
 *
 *   slot = digest (4 words, the first not zero), offset (high word, low word); all zero: free
 *
 * Invariants: never fuller than the load factor says. The slots in use are in the order of their digests' first words,
 * each at or behind the place that this word has in the whole range: the search for a key that is not there, of which a
 * pass over a log makes most, ends at the first larger one, after a few slots in a table that is nearly full.
 */
import { assert } from '../base/assert';
import type { Random } from '../base/random';
import { KeyDigest } from './key-digest';

const SLOT_WORDS = 6;
const SLOT_BYTES = SLOT_WORDS * 4;
const OFFSET = 4;
/** Cleared between two pauses. */
const WORDS_AT_ONCE = 64 * 1024;
const TWO_31 = 2 ** 31;
const TWO_32 = 2 ** 32;
/** No table is smaller than this, if the memory allows. */
const FEWEST_SLOTS = 64;
/** Slots behind the last, on top of the memory, for those that do not find room in front of it. */
const MOST_SPARE_SLOTS = 2048;

export class OffsetMap {
  /** Everything up to here was looked at; offsets beyond it are not in the map. */
  latestOffset = -1;
  readonly #largestSlots: number;
  readonly #loadFactor: number;
  readonly #digest: KeyDigest;
  #words: Int32Array | undefined;
  /** Slots in use of those there is memory for, without the spare ones. */
  #slots = 0;
  #spareSlots = 0;
  #capacity = 0;
  #size = 0;

  /** `memoryBytes` holds at least a few slots. */
  constructor(options: { memoryBytes: number; loadFactor: number; random: Random }) {
    this.#largestSlots = Math.floor(options.memoryBytes / SLOT_BYTES);
    this.#loadFactor = Math.min(Math.max(options.loadFactor, 0.01), 0.95);
    this.#digest = new KeyDigest(options.random);
    assert(this.#largestSlots * this.#loadFactor > 1, 'an offset map holds at least one key');
  }

  get size(): number {
    return this.#size;
  }

  /** Keys that the memory is enough for. */
  get largestCapacity(): number {
    return Math.floor(this.#largestSlots * this.#loadFactor);
  }

  /**
   * Forgets everything and makes ready for up to `keys` keys, or as many as there is memory for. Goes through much
   * memory, so that it pauses now and then.
   */
  async clear(keys: number, pause: () => Promise<void>): Promise<void> {
    const wanted = Math.max(FEWEST_SLOTS, Math.ceil(keys / this.#loadFactor) + 1);
    this.#slots = Math.min(wanted, this.#largestSlots);
    this.#spareSlots = spareSlots(this.#slots);
    this.#capacity = Math.floor(this.#slots * this.#loadFactor);
    this.#size = 0;
    this.latestOffset = -1;
    const words = this.#words;
    if (!words) {
      this.#words = new Int32Array((this.#largestSlots + spareSlots(this.#largestSlots)) * SLOT_WORDS);
      return;
    }
    const end = (this.#slots + this.#spareSlots) * SLOT_WORDS;
    for (let at = 0; at < end; at += WORDS_AT_ONCE) {
      words.fill(0, at, Math.min(end, at + WORDS_AT_ONCE));
      await pause();
    }
  }

  /** Gives the memory back. */
  release(): void {
    this.#words = undefined;
    this.#slots = 0;
    this.#size = 0;
  }

  /** Notes the offset of the key in `bytes[from, to)`; false when the key is new and there is no room for it. */
  put(bytes: Buffer, range: { from: number; to: number }, offset: number): boolean {
    const words = this.#words!;
    let at = this.#find(bytes, range.from, range.to);
    if (at < 0) {
      at = ~at;
      if (this.#size >= this.#capacity || !this.#open(at)) return false;
      this.#size++;
      const { a, b, c, d } = this.#digest;
      words[at] = a;
      words[at + 1] = b;
      words[at + 2] = c;
      words[at + 3] = d;
    }
    words[at + OFFSET] = Math.floor(offset / TWO_32);
    words[at + OFFSET + 1] = offset | 0;
    return true;
  }

  /** The offset noted last for the key in `bytes[from, to)`, -1 for none. */
  get(bytes: Buffer, from: number, to: number): number {
    const at = this.#find(bytes, from, to);
    if (at < 0) return -1;
    const words = this.#words!;
    return words[at + OFFSET]! * TWO_32 + (words[at + OFFSET + 1]! >>> 0);
  }

  /** The first word of the slot that holds the key; of none, the complement (`~`) of where it belongs. */
  #find(bytes: Buffer, from: number, to: number): number {
    const digest = this.#digest;
    digest.take(bytes, from, to);
    const { a, b, c, d } = digest;
    const words = this.#words!;
    let at = Math.floor((a + TWO_31) * (this.#slots / TWO_32)) * SLOT_WORDS;
    for (;;) {
      const first = words[at]!;
      // The last spare slot is always free.
      if (first === 0 || first > a) return ~at;
      if (first === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return at;
      at += SLOT_WORDS;
    }
  }

  /** Frees the slot at `at` by moving it and those behind it up by one; false when there is no room. */
  #open(at: number): boolean {
    const words = this.#words!;
    let free = at;
    while (words[free] !== 0) free += SLOT_WORDS;
    if (free >= (this.#slots + this.#spareSlots - 1) * SLOT_WORDS) return false;
    if (free > at) words.copyWithin(at + SLOT_WORDS, at, free);
    return true;
  }
}

/** One more than all of a small table, so that it takes as many keys as it promises. */
function spareSlots(slots: number): number {
  return Math.min(slots, MOST_SPARE_SLOTS) + 1;
}
