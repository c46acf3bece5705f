/**
 * The compression codecs of record batches behind one pair of functions. Owns the codec numbers, names and levels and
 * the choice of what does the work; the codecs that Node.js does not bring are in compression-snappy.ts,
 * compression-lz4.ts and compression-zstd.ts, each loaded with the first batch that needs it.
 * Invariant: inflating never makes more than the caller allows, whatever the input claims; failures are values.
 */
import { assert } from '../base/assert';
import { onDemand } from '../base/on-demand';
import { err, ok, type Result } from '../base/result';
import { type InflateFailure, inflateFailureOf } from './inflate-failure';
import type { InflateInto } from './inflate-room';

const zlib = onDemand(() => require('node:zlib') as typeof import('node:zlib'));
const snappy = onDemand(() => require('./compression-snappy') as typeof import('./compression-snappy'));
const lz4 = onDemand(() => require('./compression-lz4') as typeof import('./compression-lz4'));
const zstd = onDemand(() => require('./compression-zstd') as typeof import('./compression-zstd'));

/** The codec bits of a batch's attributes. */
export const Codec = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;
export type Codec = (typeof Codec)[keyof typeof Codec];

/** The most bytes of records that one batch may hold once inflated: what one batch may take of memory. */
export const MAX_INFLATED_BYTES = 128 * 1024 * 1024;

export function isCodec(bits: number): bits is Codec {
  return bits >= Codec.none && bits <= Codec.zstd;
}

/** The codec of that name; undefined for other words, `producer` and `uncompressed` included. */
export function codecByName(name: string): Codec | undefined {
  return Object.hasOwn(Codec, name) ? Codec[name as keyof typeof Codec] : undefined;
}

/**
 * `data` compressed. `level` is the codec's own (gzip 1 to 9, zstd -131072 to 22; snappy and lz4 have one level here);
 * undefined is the codec's default.
 */
export function compress(codec: Codec, data: Buffer, level?: number): Buffer {
  switch (codec) {
    case Codec.none:
      return data;
    case Codec.gzip:
      return zlib().gzipSync(data, level === undefined ? {} : { level });
    case Codec.snappy:
      return snappy().compressSnappy(data);
    case Codec.lz4:
      return lz4().compressLz4(data);
    case Codec.zstd:
      return zstd().compressZstd(data, level);
  }
}

/** `data` inflated, at most `maxBytes` long. With `Codec.none` it is `data` itself, not a copy. */
export function decompress(codecBits: number, data: Buffer, maxBytes: number): Result<Buffer, InflateFailure> {
  return inflate(codecBits, data, { maxBytes, room: Buffer.allocUnsafe });
}

/** `decompress` into memory that the caller chooses, as far as the codec can. */
export function inflate(codecBits: number, data: Buffer, into: InflateInto): Result<Buffer, InflateFailure> {
  const { maxBytes, room } = into;
  assert(maxBytes >= 0, 'a limit for inflated bytes');
  switch (codecBits) {
    case Codec.none:
      return data.length > maxBytes ? err('too-large') : ok(data);
    case Codec.gzip:
      return decompressGzip(data, maxBytes);
    case Codec.snappy:
      return snappy().inflateSnappy(data, into);
    case Codec.lz4:
      return lz4().decompressLz4(data, maxBytes, { room });
    case Codec.zstd:
      return zstd().inflateZstd(data, into);
    default:
      return err('unknown-codec', `Unknown compression codec ${codecBits}`);
  }
}

/** `compress` for message format 0, whose clients expect another checksum in LZ4 headers. */
export function compressFormat0(codec: Codec, data: Buffer): Buffer {
  return codec === Codec.lz4 ? lz4().compressLz4(data, { format0: true }) : compress(codec, data);
}

/** `decompress` for message format 0, where the checksum in LZ4 headers may be anything. */
export function decompressFormat0(codecBits: number, data: Buffer, maxBytes: number): Result<Buffer, InflateFailure> {
  return codecBits === Codec.lz4
    ? lz4().decompressLz4(data, maxBytes, { format0: true })
    : decompress(codecBits, data, maxBytes);
}

/**
 * Loads what `codec` needs to be at its best; `compress` and `decompress` also work before and without it.
 * Worth waiting for where a topic's own codec is zstd.
 */
export async function prepareCodec(codec: Codec): Promise<void> {
  if (codec === Codec.zstd) await zstd().prepareZstd();
}

const SMALLEST_GZIP_CHUNK = 16 * 1024;
const LARGEST_GZIP_CHUNK = 1024 * 1024;
/** With room to spare, zlib does not ask for a further chunk in which to find the end. */
const GZIP_SPARE_BYTES = 64;

function decompressGzip(data: Buffer, maxBytes: number): Result<Buffer, InflateFailure> {
  // The last four bytes say how long the content is: it then comes out in one piece. What they say is a hint alone.
  const hint = data.length < 4 ? 0 : data.readUInt32LE(data.length - 4) + GZIP_SPARE_BYTES;
  const chunkSize = Math.min(Math.max(hint, data.length, SMALLEST_GZIP_CHUNK), LARGEST_GZIP_CHUNK);
  try {
    return ok(zlib().gunzipSync(data, { maxOutputLength: Math.max(1, maxBytes), chunkSize }));
  } catch (error) {
    return err(inflateFailureOf(error), 'Invalid gzip data');
  }
}
