/** The places in a segment where readers stopped, which is where they go on: the last few, without index or disk. */

const KEPT = 8;

interface Place {
  readonly offset: number;
  readonly position: number;
}

export class ReaderPlaces {
  readonly #places: Place[] = [];

  /** The batch with `offset` begins at `position`. */
  note(offset: number, position: number): void {
    if (this.positionOf(offset) >= 0) return;
    if (this.#places.length === KEPT) this.#places.shift();
    this.#places.push({ offset, position });
  }

  /** -1 where it is not known. */
  positionOf(offset: number): number {
    return this.#places.find((place) => place.offset === offset)?.position ?? -1;
  }
}
