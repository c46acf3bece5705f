/**
 * Sends what is not in memory from a file to one socket by the system (`base/send-file.ts`), past this process. Owns
 * when that is worth it and when it may be done; the order of bytes is the answer sender's.
 * Reading old data through memory means that the event loop is the first to touch pages that have just come from the
 * disk, which takes several times as long as copying what the processor has seen before. What is warm costs less by
 * reading and writing (`tools/bench/FINDINGS.md`), so this begins when a read had to wait for the disk; the system then
 * reads ahead, so that later reads would not wait, though their pages are as cold.
 * Where anything is missing (plain TCP, the descriptor of the handle, which is no documented part of Node, the native
 * call), the sender reads and writes as usual.
 */
import type { Writable } from 'node:stream';
import type { FileRegion } from '../base/chunk';

/** After a read that had to wait: as much as a segment of a log. */
const COLD_BYTES = 1024 * 1024 * 1024;
/** Of one call, which keeps a thread of the pool from other work while it waits for the disk. */
const CALL_BYTES = 512 * 1024;
/** What is smaller is read. */
const LEAST_BYTES = 64 * 1024;

type SocketWithHandle = Writable & { readonly encrypted?: boolean; readonly _handle?: { readonly fd?: number } | null };

export class FileSender {
  readonly #socket: SocketWithHandle;
  #coldBytes = 0;
  #isFull = false;
  #isBusy = false;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  /** Whether a call is under way: nothing may be written to the socket. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Whether the last call was not taken whole, and nothing was written since. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether bytes of a region are to be offered, once nothing is on its way to the socket. */
  wants(bytes: number): boolean {
    return this.#coldBytes > 0 && !this.#isFull && bytes >= LEAST_BYTES && this.#descriptor >= 0;
  }

  /** A read of a region had to wait. */
  onColdRead(): void {
    this.#coldBytes = COLD_BYTES;
  }

  /** Something was written to the socket: its stream waits where the system has no room, and no call is in vain. */
  onWrite(): void {
    this.#isFull = false;
  }

  /**
   * Sends from `region`; nothing may be on its way to the socket. `then` gets what `sendFile` says. Returns false
   * where it cannot be done.
   */
  send(region: FileRegion, offset: number, then: (sent: number) => void): boolean {
    const count = Math.min(region.length - offset, CALL_BYTES);
    const started = region.sendTo?.(this.#descriptor, { offset, count }, (sent) => {
      this.#isBusy = false;
      this.#isFull = sent < count;
      then(sent);
    });
    if (started !== true) {
      this.#coldBytes = 0;
      return false;
    }
    this.#isBusy = true;
    this.#coldBytes -= count;
    return true;
  }

  get #descriptor(): number {
    return this.#socket.encrypted === true ? -1 : (this.#socket._handle?.fd ?? -1);
  }
}
