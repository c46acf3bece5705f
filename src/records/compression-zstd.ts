/**
 * Zstandard by the best of four: the C library, where it can be called in place; node:zlib from Node.js 22.15 on; on
 * older ones a WebAssembly package, which takes a moment to load; and plain JavaScript, which inflates at any time and
 * writes valid but uncompressed frames.
 * Owns the choice and the limits: the frames are walked before anything is inflated, so that neither a claimed size
 * nor a claimed window takes memory. (The format: RFC 8878.)
 */
import * as zlib from 'node:zlib';
import { err, ok, type Result } from '../base/result';
import { corrupt } from './compression-zstd-entropy';
import {
  LARGEST_ZSTD_BLOCK,
  readFrameHeader,
  walkZstdFrames,
  ZSTD_MAGIC,
  ZSTD_MAGIC_BYTES,
  type ZstdFrame,
} from './compression-zstd-frames';
import { libraryZstd } from './compression-zstd-library';
import { inflateZstdFrame, TooLargeContent } from './compression-zstd-portable';
import { type InflateFailure, inflateFailureOf } from './inflate-failure';
import { type InflateInto, joinInflated } from './inflate-room';

export interface ZstdImplementation {
  /** Undefined when this implementation is not the one for that much. */
  compress(data: Buffer, level: number | undefined): Buffer | undefined;
  /**
   * The content of `data`, one frame, of which `walkZstdFrames` made `frame`. Throws on malformed data. The room may be
   * left unused.
   */
  decompress(data: Buffer, into: InflateInto, frame: ZstdFrame): Uint8Array | undefined;
}

interface ZlibWithZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
  zstdCompressSync(data: Buffer, options?: { params: Record<number, number> }): Buffer;
  zstdDecompressSync(data: Buffer, options: { maxOutputLength: number; chunkSize: number }): Buffer;
}

const SMALLEST_CHUNK = 16 * 1024;
const LARGEST_CHUNK = 1024 * 1024;

/** Node's own, or undefined where it has none. */
export function nodeZstd(): ZstdImplementation | undefined {
  if (!('zstdDecompressSync' in zlib)) return undefined;
  const native = zlib as unknown as ZlibWithZstd;
  return {
    compress: (data, level) =>
      native.zstdCompressSync(
        data,
        level === undefined ? undefined : { params: { [native.constants.ZSTD_c_compressionLevel]: level } },
      ),
    decompress: (data, { maxBytes }, frame) => {
      const chunkSize = Math.min(Math.max(frame.largestContent, SMALLEST_CHUNK), LARGEST_CHUNK);
      return native.zstdDecompressSync(data, { maxOutputLength: Math.max(1, maxBytes), chunkSize });
    },
  };
}

interface WasmModule {
  init(): Promise<void>;
  compress(data: Buffer, level?: number): Uint8Array;
  decompress(data: Buffer, options: { defaultHeapSize: number }): Uint8Array;
}

/** WebAssembly memory never shrinks, so what is larger goes elsewhere. */
const LARGEST_FOR_WASM = 8 * 1024 * 1024;

/** The WebAssembly implementation, once it is loaded. */
export async function loadWasmZstd(): Promise<ZstdImplementation> {
  const wasm = require('@bokuweb/zstd-wasm') as WasmModule;
  await wasm.init();
  return {
    compress: (data, level) => (data.length > LARGEST_FOR_WASM ? undefined : asBuffer(wasm.compress(data, level))),
    decompress: (data, _into, frame) =>
      Math.max(frame.largestContent, data.length) > LARGEST_FOR_WASM
        ? undefined
        : wasm.decompress(data, { defaultHeapSize: frame.largestContent }),
  };
}

/** The implementation in plain JavaScript, which works everywhere; its frames are valid but not compressed. */
export function portableZstd(): ZstdImplementation {
  return {
    compress: (data) => storedFrame(data),
    decompress: (data, { maxBytes }) => {
      const { blocksAt, contentSize } = readFrameHeader(data, ZSTD_MAGIC_BYTES)!;
      const content = inflateZstdFrame(data, blocksAt, maxBytes);
      if (contentSize !== undefined && contentSize !== content.length) corrupt('another size than the header says');
      return content;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The library or Node's own; null before anybody has looked. */
let native: ZstdImplementation | undefined | null = null;
let wasm: ZstdImplementation | undefined;
let wasmLoading: Promise<void> | undefined;
let portable: ZstdImplementation | undefined;

/** Resolves when the best implementation for this Node.js is in use. */
export function prepareZstd(): Promise<void> {
  if (nativeZstd() !== undefined) return Promise.resolve();
  wasmLoading ??= loadWasmZstd().then(
    (loaded) => {
      wasm = loaded;
    },
    // Without WebAssembly (it can be switched off) the portable one goes on doing the work.
    () => undefined,
  );
  return wasmLoading;
}

function nativeZstd(): ZstdImplementation | undefined {
  if (native === null) native = libraryZstd() ?? nodeZstd();
  return native;
}

function implementations(): ZstdImplementation[] {
  const best = nativeZstd();
  if (best !== undefined) return [best];
  if (wasm === undefined) void prepareZstd();
  portable ??= portableZstd();
  return wasm === undefined ? [portable] : [wasm, portable];
}

export function compressZstd(
  data: Buffer,
  level?: number,
  choice: readonly ZstdImplementation[] = implementations(),
): Buffer {
  for (const implementation of choice) {
    const compressed = implementation.compress(data, level);
    if (compressed !== undefined) return compressed;
  }
  return storedFrame(data);
}

export function decompressZstd(
  data: Buffer,
  maxBytes: number,
  choice: readonly ZstdImplementation[] = implementations(),
): Result<Buffer, InflateFailure> {
  return inflateZstd(data, { maxBytes, room: Buffer.allocUnsafe }, choice);
}

/** The same into memory that the caller chooses, as far as the implementation can. */
export function inflateZstd(
  data: Buffer,
  { maxBytes, room }: InflateInto,
  choice: readonly ZstdImplementation[] = implementations(),
): Result<Buffer, InflateFailure> {
  const frames = walkZstdFrames(data);
  if (frames === undefined) return err('corrupt', 'Invalid zstd frame');
  const smallest = frames.reduce((sum, frame) => sum + frame.smallestContent, 0);
  if (smallest > maxBytes) return err('too-large');
  const parts: Buffer[] = [];
  // Of several frames each needs memory of its own until they come together.
  const partRoom = frames.length === 1 ? room : Buffer.allocUnsafe;
  let total = 0;
  try {
    for (const frame of frames) {
      const into = { maxBytes: maxBytes - total, room: partRoom };
      const part = inflateFrame(data.subarray(frame.start, frame.end), { choice, frame, into });
      total += part.length;
      if (total > maxBytes) return err('too-large');
      parts.push(part);
    }
  } catch (error) {
    return err(error instanceof TooLargeContent ? 'too-large' : inflateFailureOf(error), 'Invalid zstd data');
  }
  return ok(joinInflated(parts, total, room));
}

function inflateFrame(
  data: Buffer,
  o: { choice: readonly ZstdImplementation[]; frame: ZstdFrame; into: InflateInto },
): Buffer {
  for (const implementation of o.choice) {
    const inflated = implementation.decompress(data, o.into, o.frame);
    if (inflated !== undefined) return asBuffer(inflated);
  }
  throw new TooLargeContent('no implementation takes so much');
}

/** A frame of raw blocks: valid, and understood by every decoder. */
function storedFrame(data: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(ZSTD_MAGIC, 0);
  header[4] = 0xa0;
  header.writeUInt32LE(data.length, 5);
  const parts: Buffer[] = [header];
  let from = 0;
  do {
    const part = data.subarray(from, from + LARGEST_ZSTD_BLOCK);
    from += part.length;
    const blockHeader = Buffer.allocUnsafe(3);
    blockHeader.writeUIntLE((part.length << 3) | (from >= data.length ? 1 : 0), 0, 3);
    parts.push(blockHeader, part);
  } while (from < data.length);
  return Buffer.concat(parts);
}
