/**
 * The memory that file regions are read into while they are sent: buffers that are used again and again, since fresh
 * ones of this size cost a page fault for each 4 KB. Owns how large a piece may be and how many of the largest there
 * are at once, for all connections together; when a piece is read, and when its memory is free again, is the senders'.
 * One write of a megabyte costs hardly more than half of what four of 256 KB do (`tools/bench/FINDINGS.md`), but a peer
 * that does not read keeps its piece: large ones are for those that keep up, and few.
 */

const LARGE_BYTES = 1024 * 1024;
const MEDIUM_BYTES = 256 * 1024;
const SMALL_BYTES = 64 * 1024;

/** Regions from this size on are read into memory that is used again. */
export const LARGE_REGION_BYTES = SMALL_BYTES;

/** How many large pieces there are, beyond which pieces are of medium size. */
const MOST_LARGE = 16;
/** How many medium pieces there are, beyond which pieces are small. */
const CROWD = 128;

/** Buffers of one size, the one used last, which the processor's cache may still hold, first. */
class Slabs {
  readonly #idle: Buffer[] = [];
  readonly #bytes: number;
  readonly #mostIdle: number;
  #taken = 0;

  constructor(bytes: number, mostIdle: number) {
    this.#bytes = bytes;
    this.#mostIdle = mostIdle;
  }

  get taken(): number {
    return this.#taken;
  }

  take(): Buffer {
    this.#taken++;
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  giveBack(slab: Buffer): void {
    this.#taken--;
    if (this.#idle.length < this.#mostIdle) this.#idle.push(slab);
  }
}

export class PieceMemory {
  readonly #large = new Slabs(LARGE_BYTES, 4);
  readonly #medium = new Slabs(MEDIUM_BYTES, 16);

  /** How large the next piece may be for a connection that took its last write at once (`keepsUp`) or did not. */
  largestPiece(keepsUp: boolean): number {
    if (keepsUp && this.#large.taken < MOST_LARGE) return LARGE_BYTES;
    return this.#medium.taken < CROWD ? MEDIUM_BYTES : SMALL_BYTES;
  }

  /** Memory for a piece of up to a large one's size; undefined where a plain buffer does as well. */
  take(bytes: number): Buffer | undefined {
    if (bytes < LARGE_REGION_BYTES) return undefined;
    return bytes > MEDIUM_BYTES ? this.#large.take() : this.#medium.take();
  }

  /** Exactly once for what `take` gave. */
  giveBack(slab: Buffer): void {
    if (slab.length === LARGE_BYTES) this.#large.giveBack(slab);
    else this.#medium.giveBack(slab);
  }
}
