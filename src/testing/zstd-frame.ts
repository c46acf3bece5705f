/** Zstandard frames and blocks made by hand, also such as no encoder makes. */

/** A frame around `blocks` with a header of one's own. */
export function frame(header: number[], ...blocks: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...header]), ...blocks]);
}

/** The last block of a frame. */
export function block(type: number, size: number, content: Buffer): Buffer {
  return anyBlock({ type, size, content, last: true });
}

/** `type` and `size` as the block's header says them, whatever `content` is. */
export function anyBlock(o: { type: number; size: number; content: Buffer; last: boolean }): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((o.size << 3) | (o.type << 1) | (o.last ? 1 : 0), 0, 3);
  return Buffer.concat([header, o.content]);
}
