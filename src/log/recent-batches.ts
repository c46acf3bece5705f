/**
 * Where the newest batches of the active segment lie, in memory: readers at the tail find their place without index
 * or disk. A ring of fixed size; what has fallen out is found by the index.
 */

const KEPT = 32;

export class RecentBatches {
  readonly #positions = new Float64Array(KEPT);
  readonly #lastOffsets = new Float64Array(KEPT);
  /** Batches ever added; the newest is at `(#added - 1) % KEPT`. */
  #added = 0;

  add(position: number, lastOffset: number): void {
    this.#positions[this.#added % KEPT] = position;
    this.#lastOffsets[this.#added % KEPT] = lastOffset;
    this.#added++;
  }

  /** Position of the batch that holds `offset`, or the first after it; -1 when the ring does not say. */
  positionOf(offset: number): number {
    const oldest = Math.max(0, this.#added - KEPT);
    let low = oldest;
    let high = this.#added;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lastOffsets[middle % KEPT]! >= offset) high = middle;
      else low = middle + 1;
    }
    // The oldest one may not be the first that reaches the offset.
    return low === oldest || low === this.#added ? -1 : this.#positions[low % KEPT]!;
  }

  /** The last position at or below `position` where a batch begins; -1 when the ring does not say. */
  floorByPosition(position: number): number {
    const oldest = Math.max(0, this.#added - KEPT);
    let low = oldest;
    let high = this.#added;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions[middle % KEPT]! <= position) low = middle + 1;
      else high = middle;
    }
    return low === oldest ? -1 : this.#positions[(low - 1) % KEPT]!;
  }

  clear(): void {
    this.#added = 0;
  }
}
