/**
 * The newest offset of each key in a stretch of a log, in a fixed amount of memory: 24 bytes a key, whatever its
 * length. Keys are known by their digest alone. Owns its memory, which is taken when it is first needed; a clearing
 * touches only as much of it as the next stretch can fill. (Kafka: SkimpyOffsetMap.)
 *
 *   slot = digest (4 words), offset + 1 (high word, low word); all zero: free
 *
 * Invariant: never fuller than the load factor says, so that a search ends soon.
 */
import { assert } from '../base/assert';
import { digestKey } from './key-digest';

const SLOT_WORDS = 6;
const SLOT_BYTES = SLOT_WORDS * 4;
const OFFSET = 4;
/** Cleared between two pauses. */
const WORDS_AT_ONCE = 256 * 1024;
const TWO_32 = 2 ** 32;
/** No table is smaller than this, if the memory allows. */
const FEWEST_SLOTS = 64;

export class OffsetMap {
  /** Everything up to here was looked at; offsets beyond it are not in the map. */
  latestOffset = -1;
  readonly #largestSlots: number;
  readonly #loadFactor: number;
  readonly #digest = new Int32Array(4);
  #words: Int32Array | undefined;
  /** Slots in use of those there is memory for. */
  #slots = 0;
  #capacity = 0;
  #size = 0;

  /** `memoryBytes` holds at least a few slots. */
  constructor(options: { memoryBytes: number; loadFactor: number }) {
    this.#largestSlots = Math.floor(options.memoryBytes / SLOT_BYTES);
    // A table without a free slot would be searched for ever.
    this.#loadFactor = Math.min(Math.max(options.loadFactor, 0.01), 0.95);
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
    this.#capacity = Math.floor(this.#slots * this.#loadFactor);
    this.#size = 0;
    this.latestOffset = -1;
    const words = this.#words;
    if (!words) {
      this.#words = new Int32Array(this.#largestSlots * SLOT_WORDS);
      return;
    }
    const end = this.#slots * SLOT_WORDS;
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
    const at = this.#find(bytes, range);
    if (isFree(words, at)) {
      if (this.#size >= this.#capacity) return false;
      this.#size++;
      words.set(this.#digest, at);
    }
    const stored = offset + 1;
    words[at + OFFSET] = Math.floor(stored / TWO_32);
    words[at + OFFSET + 1] = stored | 0;
    return true;
  }

  /** The offset noted last for the key in `bytes[from, to)`, -1 for none. */
  get(bytes: Buffer, range: { from: number; to: number }): number {
    const words = this.#words!;
    const at = this.#find(bytes, range);
    return words[at + OFFSET]! * TWO_32 + (words[at + OFFSET + 1]! >>> 0) - 1;
  }

  /** The first word of the slot that holds the key, or of the free one where it would go. */
  #find(bytes: Buffer, range: { from: number; to: number }): number {
    const digest = this.#digest;
    digestKey(bytes, range, digest);
    const words = this.#words!;
    let slot = (digest[0]! >>> 0) % this.#slots;
    for (;;) {
      const at = slot * SLOT_WORDS;
      if (isFree(words, at)) return at;
      if (
        words[at] === digest[0] &&
        words[at + 1] === digest[1] &&
        words[at + 2] === digest[2] &&
        words[at + 3] === digest[3]
      ) {
        return at;
      }
      slot = slot + 1 === this.#slots ? 0 : slot + 1;
    }
  }
}

/** A stored offset is never zero. */
function isFree(words: Int32Array, at: number): boolean {
  return (words[at + OFFSET]! | words[at + OFFSET + 1]!) === 0;
}
