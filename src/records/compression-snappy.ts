/**
 * Snappy as Kafka uses it: xerial framing, as Java writes it, or one raw block, as librdkafka writes it; both are read,
 * xerial is written. Owns the framing and the choice between the native package and the portable code.
 */
import { err, ok, type Result } from '../base/result';
import { snappyDecode, snappyEncode, snappyPreamble } from './compression-snappy-portable';
import type { InflateFailure } from './inflate-failure';
import type { InflateInto } from './inflate-room';

/** One raw block each way. */
export interface SnappyBlocks {
  encode(data: Buffer): Buffer;
  /** Fills `out` with the content of `block`, whose preamble says `out.length` bytes; false when it is malformed. */
  decodeTo(block: Buffer, out: Buffer): boolean;
}

interface NativeModule {
  compressSync(data: Buffer, options: { copyOutputData: boolean }): Buffer;
  uncompressSync(data: Buffer, options: { copyOutputData: boolean; asBuffer: boolean }): Buffer;
}

/** The native implementation, or undefined where there is no binary for this platform. */
export function nativeSnappy(): SnappyBlocks | undefined {
  let native: NativeModule;
  try {
    native = require('snappy') as NativeModule;
  } catch {
    // The package throws while loading when it has no binary for this platform: that is what the portable one is for.
    return undefined;
  }
  return {
    // Copying is several times faster here than handing out external memory.
    encode: (data) => native.compressSync(data, { copyOutputData: true }),
    decodeTo: (block, out) => {
      let inflated: Buffer;
      try {
        inflated = native.uncompressSync(block, { copyOutputData: true, asBuffer: true });
      } catch {
        return false;
      }
      return inflated.length === out.length && inflated.copy(out) === out.length;
    },
  };
}

/** The implementation in plain JavaScript, which works everywhere. */
export const portableSnappy: SnappyBlocks = {
  encode: snappyEncode,
  decodeTo: snappyDecode,
};

let chosen: SnappyBlocks | undefined;

function blocks(): SnappyBlocks {
  chosen ??= nativeSnappy() ?? portableSnappy;
  return chosen;
}

/** Magic, version 1, readable by version 1. */
const XERIAL_HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
const XERIAL_MAGIC_BYTES = 8;
/** What the magic's first four bytes read as where a block's length is due: another frame begins. */
const XERIAL_MAGIC_AS_LENGTH = XERIAL_HEADER.readInt32BE(0);
const XERIAL_BLOCK_BYTES = 32 * 1024;
/** A raw block cannot hold more than this many bytes per byte: a two-byte copy makes 11, a three-byte one 64. */
const LARGEST_RATIO = 22;

export function compressSnappy(data: Buffer, implementation: SnappyBlocks = blocks()): Buffer {
  const parts: Buffer[] = [XERIAL_HEADER];
  for (let from = 0; from < data.length; from += XERIAL_BLOCK_BYTES) {
    const block = implementation.encode(data.subarray(from, from + XERIAL_BLOCK_BYTES));
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

/** Reads either form. */
export function decompressSnappy(
  data: Buffer,
  maxBytes: number,
  implementation: SnappyBlocks = blocks(),
): Result<Buffer, InflateFailure> {
  return inflateSnappy(data, { maxBytes, room: Buffer.allocUnsafe }, implementation);
}

/** The same into memory that the caller chooses. */
export function inflateSnappy(
  data: Buffer,
  { maxBytes, room }: InflateInto,
  implementation: SnappyBlocks = blocks(),
): Result<Buffer, InflateFailure> {
  const ranges = isXerial(data) ? xerialBlocks(data) : [data];
  if (ranges === undefined) return err('corrupt', 'Invalid xerial framing of snappy data');
  const sizes: number[] = [];
  let total = 0;
  for (const block of ranges) {
    const preamble = snappyPreamble(block);
    if (preamble === undefined || preamble.size > block.length * LARGEST_RATIO) {
      return err('corrupt', 'Invalid snappy block');
    }
    sizes.push(preamble.size);
    total += preamble.size;
  }
  if (total > maxBytes) return err('too-large');
  const out = room(total);
  let to = 0;
  for (const [index, block] of ranges.entries()) {
    const until = to + sizes[index]!;
    if (!implementation.decodeTo(block, out.subarray(to, until))) return err('corrupt', 'Invalid snappy block');
    to = until;
  }
  return ok(out);
}

function isXerial(data: Buffer): boolean {
  return (
    data.length >= XERIAL_HEADER.length &&
    data.compare(XERIAL_HEADER, 0, XERIAL_MAGIC_BYTES, 0, XERIAL_MAGIC_BYTES) === 0
  );
}

/** The raw blocks of a xerial stream; frames may follow each other. Undefined when malformed. */
function xerialBlocks(data: Buffer): Buffer[] | undefined {
  if (data.readInt32BE(XERIAL_MAGIC_BYTES) < 1) return undefined;
  const found: Buffer[] = [];
  let at = XERIAL_HEADER.length;
  while (at < data.length) {
    if (at + 4 > data.length) return undefined;
    const length = data.readInt32BE(at);
    if (length === XERIAL_MAGIC_AS_LENGTH && isXerial(data.subarray(at))) {
      at += XERIAL_HEADER.length;
      continue;
    }
    at += 4;
    if (length < 0 || at + length > data.length) return undefined;
    found.push(data.subarray(at, at + length));
    at += length;
  }
  return found;
}
