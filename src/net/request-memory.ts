/**
 * The broker-wide budget of request bytes in memory: frames that are being served and frames still coming in.
 * Owns the account and who may read on; the connections do the pausing. Bytes are counted as they arrive, so a peer
 * that claims much and sends nothing takes nothing.
 * Over budget, a reader that holds more than a small share is parked; the others go on, so that a few peers with large
 * frames do not shut out those with small ones. Parked readers go on, first come first served, once there is room.
 * Where no request is being served, so that waiting would free nothing, the one with the least to come is let through
 * to finish its frame. So the account exceeds the budget by half and one frame at most, and always moves.
 * (`server.ts` closes a connection that is let through and stalls.)
 */
import { assert } from '../base/assert';
import { READ_BYTES } from './socket-input';

/** Over budget, all readers together may hold one part in so many of the budget besides. */
const SMALL_SHARES = 2;

export interface RequestReader {
  /** Bytes of its requests that are in memory. */
  heldBytes(): number;
  /** How many bytes the reader's frame still lacks; 0 where no frame was begun. */
  missingBytes(): number;
  /** Reads on, once, without asking again. */
  resume(): void;
}

export class RequestMemory {
  readonly #budgetBytes: number;
  readonly #parked = new Set<RequestReader>();
  #usedBytes = 0;
  #servedBytes = 0;
  #readers = 0;
  #finisher: RequestReader | undefined;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get parkedReaders(): number {
    return this.#parked.size;
  }

  /** There is a further reader, until `leave`. */
  join(): void {
    this.#readers++;
  }

  /** Counts bytes that came in. */
  received(bytes: number): void {
    this.#usedBytes += bytes;
  }

  /** Counts `bytes`, received before, as part of a request that is being served. */
  serving(bytes: number): void {
    this.#servedBytes += bytes;
  }

  /** A request of `bytes` has been answered: its frame is gone. */
  served(bytes: number): void {
    this.#servedBytes -= bytes;
    this.dropped(bytes);
  }

  /** Bytes that came in were thrown away or their frame is gone. */
  dropped(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#letThrough();
  }

  /** Whether `reader` may read on now; if not it is parked and will be resumed. */
  mayRead(reader: RequestReader): boolean {
    if (this.#usedBytes < this.#budgetBytes) return true;
    if (reader.heldBytes() < this.#budgetBytes / SMALL_SHARES / this.#readers) return true;
    if (this.#finisher === reader && this.#isFinishing) return true;
    this.#parked.add(reader);
    this.#letThrough();
    return !this.#parked.has(reader);
  }

  /** The reader is gone, parked or not. */
  leave(reader: RequestReader): void {
    this.#readers--;
    this.withdraw(reader);
  }

  /** The reader will not read for a while, for reasons of its own: nobody shall wait for it. It asks again later. */
  withdraw(reader: RequestReader): void {
    this.#parked.delete(reader);
    if (this.#finisher !== reader) return;
    this.#finisher = undefined;
    this.#letThrough();
  }

  #letThrough(): void {
    let expectedBytes = this.#usedBytes;
    for (const reader of this.#parked) {
      if (expectedBytes >= this.#budgetBytes) break;
      expectedBytes += READ_BYTES;
      this.#parked.delete(reader);
      reader.resume();
    }
    if (this.#parked.size === 0 || this.#servedBytes > 0 || this.#isFinishing) return;
    const nearest = this.#nearestToEnd();
    this.#finisher = nearest;
    this.#parked.delete(nearest);
    nearest.resume();
  }

  /** Whether the one that was let through is still on its way: at the end of its frame it need not ask again. */
  get #isFinishing(): boolean {
    return this.#finisher !== undefined && this.#finisher.missingBytes() > 0;
  }

  /** The parked reader with the least to come of a frame that it has begun. */
  #nearestToEnd(): RequestReader {
    let nearest: RequestReader | undefined;
    let leastBytes = Number.POSITIVE_INFINITY;
    for (const reader of this.#parked) {
      const bytes = reader.missingBytes() || Number.POSITIVE_INFINITY;
      if (nearest !== undefined && bytes >= leastBytes) continue;
      nearest = reader;
      leastBytes = bytes;
    }
    assert(nearest !== undefined, 'no reader is parked');
    return nearest;
  }
}
