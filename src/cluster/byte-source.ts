/** Bytes that are read in pieces, whatever holds them. */
export interface ByteSource {
  size(): number;
  /** The number of bytes that were read: fewer than asked for only at the end. */
  read(target: Buffer, position: number): number;
}

export function bytesOf(content: Buffer): ByteSource {
  return { size: () => content.length, read: (target, position) => content.copy(target, 0, position) };
}
