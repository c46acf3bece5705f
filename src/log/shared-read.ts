/**
 * The bytes that were read last, for those who read the same before anything else happens: several groups wait at the
 * end of a log and are woken together. A budgeted tail of the log in memory, with a budget of one read.
 * Invariant: what is kept is forgotten before another task runs, so that nothing can have been cut or replaced.
 */
import type { Clock } from '../base/clock';
import { giveBackLent, shareLent } from '../base/lent-bytes';
import type { Segment } from './segment';

export class SharedRead {
  #segment: Segment | undefined;
  #position = 0;
  #bytes: Buffer | undefined;
  #isForgetting = false;

  /** Bytes of `segment` from `position` on, as many as are asked for; whoever gets them must not change them. */
  get(segment: Segment, position: number, sizeInBytes: number): Buffer | undefined {
    const isSame = this.#segment === segment && this.#position === position && this.#bytes?.length === sizeInBytes;
    if (!isSame || this.#bytes === undefined) return undefined;
    shareLent(this.#bytes);
    return this.#bytes;
  }

  keep(read: { segment: Segment; position: number; bytes: Buffer }, clock: Clock): void {
    this.#forget();
    this.#segment = read.segment;
    this.#position = read.position;
    this.#bytes = read.bytes;
    shareLent(read.bytes);
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    clock.soon(() => {
      this.#isForgetting = false;
      this.#forget();
    });
  }

  #forget(): void {
    if (this.#bytes !== undefined) giveBackLent(this.#bytes);
    this.#segment = undefined;
    this.#bytes = undefined;
  }
}
