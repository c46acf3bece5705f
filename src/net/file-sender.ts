/**
 * Sends what is not in memory from a file to one socket by the system (`base/send-file.ts`), past this process. Owns
 * when that is worth it and when it may be done; the order of bytes is the answer sender's.
 * Reading old data through memory means that the event loop is the first to touch pages that have just come from the
 * disk, which takes several times as long as copying what the processor has seen before. What is warm costs less by
 * reading and writing (`tools/bench/FINDINGS.md`), so this begins when a read had to wait for the disk. The system then
 * reads ahead, so that later reads would not wait, though their pages are as cold: it goes on for as long as the disk
 * gives much of what is sent. A page that is missing in the midst of warm ones, which happens, is no reason to.
 * Where anything is missing (plain TCP, the descriptor of the handle, which is no documented part of Node, the native
 * call), the sender reads and writes as usual.
 */
import type { Writable } from 'node:stream';
import type { FileRegion } from '../base/chunk';
import { diskReadBytes } from '../base/disk-reads';

/** What is sent before it is looked at how much came from the disk: more than the system reads ahead. */
const LOOK_BYTES = 16 * 1024 * 1024;
/** So much of it must have. Reads of others count, too, but all that this may cost is some processor time. */
const COLD_SHARE = 0.25;
/** Of one call, which keeps a thread of the pool from other work while it waits for the disk. */
const CALL_BYTES = 512 * 1024;
/** What is smaller is read. */
const LEAST_BYTES = 64 * 1024;

type SocketWithHandle = Writable & { readonly encrypted?: boolean; readonly _handle?: { readonly fd?: number } | null };

export class FileSender {
  readonly #socket: SocketWithHandle;
  readonly #diskReadBytes: () => number;
  /** What is still to be sent before the next look; 0 while nothing is sent this way. */
  #coldBytes = 0;
  #readBytesAtLook = 0;
  #isFull = false;
  #isBusy = false;

  constructor(socket: Writable, readBytes = diskReadBytes) {
    this.#socket = socket;
    this.#diskReadBytes = readBytes;
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
    return this.#coldBytes > 0 && !this.#isFull && bytes >= LEAST_BYTES && this.descriptor >= 0;
  }

  /** Whether somebody else may write to the descriptor, once nothing is on its way to the socket, what is in memory. */
  get mayWriteDirectly(): boolean {
    return this.#coldBytes <= 0 && !this.#isBusy && !this.#isFull && this.descriptor >= 0;
  }

  /** Of the socket; -1 where bytes are not to be written to it past its stream. */
  get descriptor(): number {
    return this.#socket.encrypted === true ? -1 : (this.#socket._handle?.fd ?? -1);
  }

  /** A read of a region had to wait. */
  onColdRead(): void {
    if (this.#coldBytes > 0) return;
    this.#coldBytes = LOOK_BYTES;
    this.#readBytesAtLook = this.#diskReadBytes();
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
    const started = region.sendTo?.(this.descriptor, { offset, count }, (sent) => {
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
    if (this.#coldBytes <= 0) this.#look();
    return true;
  }

  #look(): void {
    const readBytes = this.#diskReadBytes();
    const isCold = readBytes - this.#readBytesAtLook >= COLD_SHARE * LOOK_BYTES;
    this.#coldBytes = isCold ? LOOK_BYTES : 0;
    this.#readBytesAtLook = readBytes;
  }
}
