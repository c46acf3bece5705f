/**
 * LZ4 frames as Kafka uses them: independent blocks of at most 64 KB are written, no checksums but the header's.
 * Owns the frame format and the choice between the native package and the portable code for the blocks.
 * Reads what Kafka reads: one frame, blocks independent; what follows the frame is not looked at, nor is a checksum of
 * the content. (Kafka: Lz4BlockInputStream, Lz4BlockOutputStream; the format: lz4/doc/lz4_Frame_format.md.)
 */
import { err, ok, type Result } from '../base/result';
import { lz4DecodeBlock, lz4EncodeBlock, lz4EncodedBound, xxHash32 } from './compression-lz4-block';
import type { InflateFailure } from './inflate-failure';
import { type InflateRoom, joinInflated } from './inflate-room';

/** One raw block each way. */
export interface Lz4Blocks {
  /** Encodes into `out`, which has room for `lz4EncodedBound(data.length)` bytes; how many were written. */
  encode(data: Buffer, out: Buffer): number;
  /** The content of `block`, at most `limit` bytes; undefined when it is malformed or longer. */
  decode(block: Buffer, limit: number): Buffer | undefined;
}

interface NativeModule {
  compressSync(data: Buffer): Buffer;
  uncompressSync(data: Buffer): Buffer;
}

/** The native package puts the size of the content before each block, little-endian. */
const SIZE_PREFIX = 4;
/** Blocks up to this get their size put before them in memory that is used again. */
const REUSED_BYTES = 128 * 1024;

/** The native implementation, or undefined where there is no binary for this platform. */
export function nativeLz4(): Lz4Blocks | undefined {
  let native: NativeModule;
  try {
    native = require('lz4-napi') as NativeModule;
  } catch {
    // The package throws while loading when it has no binary for this platform: that is what the portable one is for.
    return undefined;
  }
  const reused = Buffer.allocUnsafeSlow(REUSED_BYTES);
  return {
    encode: (data, out) => native.compressSync(data).copy(out, 0, SIZE_PREFIX),
    decode: (block, limit) => {
      const size = SIZE_PREFIX + block.length;
      const prefixed = size <= REUSED_BYTES ? reused.subarray(0, size) : Buffer.allocUnsafe(size);
      prefixed.writeUInt32LE(limit, 0);
      block.copy(prefixed, SIZE_PREFIX);
      try {
        return native.uncompressSync(prefixed);
      } catch {
        return undefined;
      }
    },
  };
}

/** The implementation in plain JavaScript, which works everywhere. */
export const portableLz4: Lz4Blocks = {
  encode: lz4EncodeBlock,
  decode: (block, limit) => {
    const out = Buffer.allocUnsafe(limit);
    const size = lz4DecodeBlock(block, out);
    return size < 0 ? undefined : out.subarray(0, size);
  },
};

let chosen: Lz4Blocks | undefined;

function blocks(): Lz4Blocks {
  chosen ??= nativeLz4() ?? portableLz4;
  return chosen;
}

const MAGIC = 0x184d2204;
const FLAGS_POSITION = 4;
const VERSION_1 = 0x40;
const VERSION_MASK = 0xc0;
const BLOCKS_INDEPENDENT = 0x20;
const BLOCK_CHECKSUMS = 0x10;
const CONTENT_SIZE = 0x08;
const CONTENT_CHECKSUM = 0x04;
const RESERVED_FLAG = 0x02;
const DICTIONARY = 0x01;
/** In the block descriptor: the code of 64 KB blocks, in bits 4 to 6. */
const BLOCKS_OF_64_KB = 0x40;
const WRITTEN_BLOCK_BYTES = 64 * 1024;
const STORED_BLOCK = 0x80000000;
const HEADER_BYTES = 7;
/** The most that a byte of a block can stand for. */
const LARGEST_RATIO = 255;

export interface Lz4Options {
  /**
   * Clients of message format 0 take the header's checksum over the magic number as well. Then it is written so, and
   * any is accepted, as in Kafka.
   */
  readonly format0?: boolean;
  readonly implementation?: Lz4Blocks;
  /** Where the content of several blocks comes together. */
  readonly room?: InflateRoom;
}

export function compressLz4(data: Buffer, options: Lz4Options = {}): Buffer {
  const implementation = options.implementation ?? blocks();
  const blockCount = Math.ceil(data.length / WRITTEN_BLOCK_BYTES);
  const out = Buffer.allocUnsafe(HEADER_BYTES + 4 + lz4EncodedBound(data.length) + blockCount * 24);
  out.writeUInt32LE(MAGIC, 0);
  out[4] = VERSION_1 | BLOCKS_INDEPENDENT;
  out[5] = BLOCKS_OF_64_KB;
  out[6] = (xxHash32(out, options.format0 ? 0 : FLAGS_POSITION, 6) >>> 8) & 0xff;
  let to = HEADER_BYTES;
  for (let from = 0; from < data.length; from += WRITTEN_BLOCK_BYTES) {
    const block = data.subarray(from, from + WRITTEN_BLOCK_BYTES);
    const size = implementation.encode(block, out.subarray(to + 4));
    if (size < block.length) {
      out.writeUInt32LE(size, to);
      to += 4 + size;
    } else {
      out.writeUInt32LE((block.length | STORED_BLOCK) >>> 0, to);
      to += 4 + block.copy(out, to + 4);
    }
  }
  out.writeUInt32LE(0, to);
  return out.subarray(0, to + 4);
}

interface Frame {
  readonly blockChecksums: boolean;
  readonly contentChecksum: boolean;
  readonly blockBytes: number;
  /** Where the blocks begin. */
  readonly start: number;
}

function readHeader(data: Buffer, anyHeaderChecksum: boolean): Result<Frame, InflateFailure> {
  if (data.length < HEADER_BYTES || data.readUInt32LE(0) !== MAGIC) return err('corrupt', 'Not an LZ4 frame');
  const flags = data[FLAGS_POSITION]!;
  const descriptor = data[FLAGS_POSITION + 1]!;
  if ((flags & VERSION_MASK) !== VERSION_1 || flags & (RESERVED_FLAG | DICTIONARY)) {
    return err('corrupt', 'Unsupported LZ4 frame');
  }
  if (!(flags & BLOCKS_INDEPENDENT)) return err('corrupt', 'LZ4 frames of dependent blocks are not supported');
  const sizeCode = descriptor >> 4;
  if (descriptor & 0x0f || sizeCode < 4 || sizeCode > 7) return err('corrupt', 'Invalid LZ4 block size');
  const checksumAt = FLAGS_POSITION + 2 + (flags & CONTENT_SIZE ? 8 : 0);
  if (checksumAt >= data.length) return err('corrupt', 'LZ4 frame cut off');
  const expected = (xxHash32(data, FLAGS_POSITION, checksumAt) >>> 8) & 0xff;
  if (!anyHeaderChecksum && data[checksumAt] !== expected) return err('corrupt', 'Wrong checksum of an LZ4 header');
  return ok({
    blockChecksums: (flags & BLOCK_CHECKSUMS) !== 0,
    contentChecksum: (flags & CONTENT_CHECKSUM) !== 0,
    blockBytes: 1 << (2 * sizeCode + 8),
    start: checksumAt + 1,
  });
}

export function decompressLz4(
  data: Buffer,
  maxBytes: number,
  options: Lz4Options = {},
): Result<Buffer, InflateFailure> {
  const implementation = options.implementation ?? blocks();
  const header = readHeader(data, options.format0 ?? false);
  if (!header.ok) return header;
  const frame = header.value;
  const parts: Buffer[] = [];
  let total = 0;
  let at = frame.start;
  for (;;) {
    if (at + 4 > data.length) return err('corrupt', 'LZ4 frame cut off');
    const field = data.readUInt32LE(at);
    const stored = field >= STORED_BLOCK;
    const size = field & (STORED_BLOCK - 1);
    at += 4;
    if (size === 0) break;
    if (size > frame.blockBytes || at + size > data.length) return err('corrupt', 'Invalid LZ4 block size');
    const block = data.subarray(at, at + size);
    const limit = Math.min(frame.blockBytes, size * LARGEST_RATIO);
    const content = stored ? block : implementation.decode(block, limit);
    if (content === undefined) return err('corrupt', 'Invalid LZ4 block');
    at += size;
    if (frame.blockChecksums) {
      if (at + 4 > data.length || data.readUInt32LE(at) !== xxHash32(data, at - size, at)) {
        return err('corrupt', 'Wrong checksum of an LZ4 block');
      }
      at += 4;
    }
    total += content.length;
    if (total > maxBytes) return err('too-large');
    parts.push(content);
  }
  if (frame.contentChecksum && at + 4 > data.length) return err('corrupt', 'LZ4 frame cut off');
  return ok(joinInflated(parts, total, options.room));
}
