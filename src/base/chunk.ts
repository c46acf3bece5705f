/**
 * What a response body is made of: bytes in memory, or a stretch of a file that is read only while it is sent.
 * A file region holds its file open until it is released, whatever happens to the log in the meantime.
 */

import type { Around } from './mapped-writes';

/** Within a region. */
export interface RegionStretch {
  readonly offset: number;
  readonly count: number;
}

export interface FileRegion {
  readonly length: number;
  /** Fills `target` (at most the rest of the region) from `offset` within the region; returns the bytes read. */
  read(target: Buffer, offset: number): Promise<number>;
  /**
   * The same as far as it needs no waiting, where that can be known; fewer bytes than asked, also none, say nothing:
   * `read` gets the rest.
   */
  readAtOnce?(target: Buffer, offset: number): number;
  /**
   * Sends from the region to a socket's descriptor, off the loop, and tells how many bytes went (`base/send-file.ts`);
   * false where that cannot be done.
   */
  sendTo?(socket: number, stretch: RegionStretch, then: (sent: number) => void): boolean;
  /**
   * Writes bytes, of the region what is in memory, and behind all of it further bytes to a socket's descriptor at once
   * (`base/mapped-writes.ts`). Tells how many of all these the socket took; 0 may mean that it cannot be done.
   */
  writeTo?(socket: number, stretch: RegionStretch & { readonly around: Around }): number;
  /** Lets go of the file; exactly once per region, also when it was never read. */
  release(): void;
}

export type Chunk = Buffer | FileRegion;

export function isFileRegion(chunk: Chunk): chunk is FileRegion {
  return !Buffer.isBuffer(chunk);
}
