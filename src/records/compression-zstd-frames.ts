/**
 * The headers of Zstandard's frames and blocks. Owns what they may ask for: a window, a claimed size, a dictionary;
 * what is refused here reaches no decoder. Does not look into blocks. (The format: RFC 8878, section 3.1.)
 */

export interface ZstdFrame {
  /** Where it lies in the data. */
  readonly start: number;
  readonly end: number;
  /** Bytes of content, at least and at most, as far as headers tell. */
  readonly smallestContent: number;
  readonly largestContent: number;
}

export const ZSTD_MAGIC = 0xfd2fb528;
export const ZSTD_MAGIC_BYTES = 4;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** What zstd's own decoder takes by default. */
const LARGEST_WINDOW = 2 ** 27;
export const LARGEST_ZSTD_BLOCK = 128 * 1024;
const TWO_32 = 2 ** 32;

interface FrameHeader {
  readonly contentSize: number | undefined;
  readonly blockLimit: number;
  readonly checksum: boolean;
  readonly blocksAt: number;
}

/** The frames but skippable ones; undefined when headers do not fit the bytes, or ask for too much or a dictionary. */
export function walkZstdFrames(data: Buffer): ZstdFrame[] | undefined {
  const frames: ZstdFrame[] = [];
  let at = 0;
  while (at < data.length) {
    if (at + 8 > data.length) return undefined;
    const magic = data.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + data.readUInt32LE(at + 4);
      if (at > data.length) return undefined;
      continue;
    }
    const header = magic === ZSTD_MAGIC ? readFrameHeader(data, at + 4) : undefined;
    const blocks = header && walkBlocks(data, header);
    if (header === undefined || blocks === undefined) return undefined;
    const { contentSize } = header;
    if (contentSize !== undefined && contentSize > blocks.largest) return undefined;
    frames.push({
      start: at,
      end: blocks.end,
      smallestContent: contentSize ?? 0,
      largestContent: contentSize ?? blocks.largest,
    });
    at = blocks.end;
  }
  return frames.length === 0 ? undefined : frames;
}

/** Of the header behind the magic number, at `start`. */
export function readFrameHeader(data: Buffer, start: number): FrameHeader | undefined {
  const descriptor = data[start]!;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  let at = start + 1;
  const blocksAt = at + (singleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
  if (descriptor & 0x08 || blocksAt > data.length) return undefined;
  let windowSize = 0;
  if (!singleSegment) {
    const exponent = 10 + (data[at]! >> 3);
    windowSize = 2 ** exponent + (2 ** exponent / 8) * (data[at]! & 7);
    at++;
  }
  // No client has a dictionary to give. The number 0 is how a frame says that it has none.
  if (dictionaryBytes > 0 && data.readUIntLE(at, dictionaryBytes) !== 0) return undefined;
  at += dictionaryBytes;
  let contentSize: number | undefined;
  if (sizeBytes === 8) contentSize = data.readUInt32LE(at) + data.readUInt32LE(at + 4) * TWO_32;
  else if (sizeBytes > 0) contentSize = data.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  if (singleSegment) windowSize = contentSize ?? 0;
  else if (windowSize > LARGEST_WINDOW) return undefined;
  return {
    contentSize,
    blockLimit: Math.min(LARGEST_ZSTD_BLOCK, windowSize),
    checksum: (descriptor & 4) !== 0,
    blocksAt,
  };
}

function walkBlocks(data: Buffer, header: FrameHeader): { end: number; largest: number } | undefined {
  let at = header.blocksAt;
  let largest = 0;
  for (;;) {
    if (at + 3 > data.length) return undefined;
    const block = data.readUIntLE(at, 3);
    const type = (block >> 1) & 3;
    const size = block >> 3;
    at += 3;
    if (type === 0) largest += size;
    else largest += type === 1 ? size : header.blockLimit;
    at += type === 1 ? 1 : size;
    if (type === 3 || size > header.blockLimit || at > data.length) return undefined;
    if (block & 1) break;
  }
  at += header.checksum ? 4 : 0;
  return at > data.length ? undefined : { end: at, largest };
}
