/**
 * A file region in the queue of an answer sender: released when it is read to its end or given up, and no read of it is
 * under way.
 */
import type { FileRegion } from '../base/chunk';
import type { Around } from '../base/mapped-writes';
import type { FileSender } from './file-sender';

export class QueuedRegion {
  readonly region: FileRegion;
  /** How far reads have been started. */
  offset = 0;
  #reads = 0;
  #over = false;

  constructor(region: FileRegion) {
    this.region = region;
  }

  async read(target: Buffer): Promise<number> {
    const offset = this.offset;
    this.offset += target.length;
    this.#reads++;
    try {
      return await this.region.read(target, offset);
    } finally {
      this.#onReadEnd();
    }
  }

  /** Has the next bytes sent past this process, if that can be done. */
  sendBy(fileSender: FileSender, then: (sent: number) => void): boolean {
    const started = fileSender.send(this.region, this.offset, (sent) => {
      this.offset += Math.max(0, sent);
      this.#onReadEnd();
      then(sent);
    });
    if (started) this.#reads++;
    return started;
  }

  /** Reads what can be had without waiting; the rest of `target` is left to `read`. */
  readAtOnce(target: Buffer): number {
    const count = this.region.readAtOnce?.(target, this.offset) ?? 0;
    this.offset += count;
    return count;
  }

  /** As `FileRegion.writeTo`, from what is next; `mostBytes` of the region. How far it went, the caller notes. */
  writeTo(socket: number, mostBytes: number, around: Around): number {
    const count = Math.min(this.region.length - this.offset, mostBytes);
    return this.region.writeTo?.(socket, { offset: this.offset, count, around }) ?? 0;
  }

  #onReadEnd(): void {
    this.#reads--;
    if (this.#over && this.#reads === 0) this.region.release();
  }

  /** No further read will be started. */
  over(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#reads === 0) this.region.release();
  }
}
