/**
 * Memory that is used again and again, for requests and for what answers carry: with a fresh buffer for each the engine
 * collects garbage all the time, at a third of what a large Produce costs, and what comes meanwhile waits for some
 * milliseconds. Owns the slabs that are idle; whoever took one owns it until it is given back, and may as well never
 * give it back: it is then collected like any other buffer.
 * Invariant: a slab is idle or has one owner, never both.
 */

/** Smaller ones share Node's pool. */
export const SMALLEST_SLAB_BYTES = 4 * 1024;
const LARGEST_SLAB_BYTES = 4 * 1024 * 1024;
const MOST_IDLE_BYTES = 8 * 1024 * 1024;
/** A size that nobody asked for in so many calls makes room for others. */
const FORGOTTEN_AFTER_TAKES = 1000;

export class SlabMemory {
  /** By the power of two that is their size. */
  readonly #idle: (Buffer[] | undefined)[] = [];
  /** Of each size, how many calls had been made when it was last asked for. */
  readonly #lastTaken: number[] = [];
  #idleBytes = 0;
  #takes = 0;

  /** What is kept for later, in bytes. */
  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** A buffer of `bytes` or more, with anything in it. */
  take(bytes: number): Buffer {
    if (bytes < SMALLEST_SLAB_BYTES) return Buffer.allocUnsafe(bytes);
    if (bytes > LARGEST_SLAB_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const power = 32 - Math.clz32(bytes - 1);
    this.#lastTaken[power] = ++this.#takes;
    const slab = this.#idle[power]?.pop();
    if (slab === undefined) return Buffer.allocUnsafeSlow(2 ** power);
    this.#idleBytes -= slab.length;
    return slab;
  }

  /** Takes back what `take` gave, or a part of it that begins at its start; nobody may look at it any more. */
  giveBack(taken: Buffer): void {
    if (taken.length < SMALLEST_SLAB_BYTES || taken.length > LARGEST_SLAB_BYTES) return;
    const bytes = taken.buffer.byteLength;
    if (this.#idleBytes + bytes > MOST_IDLE_BYTES) this.#dropForgotten();
    if (this.#idleBytes + bytes > MOST_IDLE_BYTES) return;
    this.#idleBytes += bytes;
    const power = 31 - Math.clz32(bytes);
    const idle = this.#idle[power] ?? [];
    this.#idle[power] = idle;
    idle.push(Buffer.from(taken.buffer));
  }

  /** Slabs of a load that is over would otherwise keep out those of the next. */
  #dropForgotten(): void {
    for (const [power, slabs] of this.#idle.entries()) {
      if (!slabs || this.#takes - (this.#lastTaken[power] ?? 0) < FORGOTTEN_AFTER_TAKES) continue;
      this.#idleBytes -= slabs.length * 2 ** power;
      slabs.length = 0;
    }
  }
}
