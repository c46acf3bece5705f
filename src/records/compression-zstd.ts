/**
 * Zstandard by the best of three: node:zlib from Node.js 22.15 on; on older ones a WebAssembly package, which takes a
 * moment to load; and plain JavaScript, which inflates at any time and writes valid but uncompressed frames.
 * Owns the choice and the limits: the frames are walked before anything is inflated, so that neither a claimed size
 * nor a claimed window takes memory. (The format: RFC 8878.)
 */
import * as zlib from 'node:zlib';
import { err, ok, type Result } from '../base/result';
import { corrupt } from './compression-zstd-entropy';
import { inflateZstdFrame, TooLargeContent } from './compression-zstd-portable';
import { type InflateFailure, inflateFailureOf } from './inflate-failure';

export interface ZstdImplementation {
  /** Undefined when this implementation is not the one for that much. */
  compress(data: Buffer, level: number | undefined): Buffer | undefined;
  /** The content of `data`, one frame, of which `walkZstdFrames` made `frame`. Throws on malformed data. */
  decompress(data: Buffer, maxBytes: number, frame: ZstdFrame): Uint8Array | undefined;
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
    decompress: (data, maxBytes, frame) => {
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
    decompress: (data, _maxBytes, frame) =>
      Math.max(frame.largestContent, data.length) > LARGEST_FOR_WASM
        ? undefined
        : wasm.decompress(data, { defaultHeapSize: frame.largestContent }),
  };
}

/** The implementation in plain JavaScript, which works everywhere; its frames are valid but not compressed. */
export function portableZstd(): ZstdImplementation {
  return {
    compress: (data) => storedFrame(data),
    decompress: (data, maxBytes) => {
      const { blocksAt, contentSize } = readFrameHeader(data, MAGIC_BYTES)!;
      const content = inflateZstdFrame(data, blocksAt, maxBytes);
      if (contentSize !== undefined && contentSize !== content.length) corrupt('another size than the header says');
      return content;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

let node: ZstdImplementation | undefined | null = null;
let wasm: ZstdImplementation | undefined;
let wasmLoading: Promise<void> | undefined;
let portable: ZstdImplementation | undefined;

/** Resolves when the best implementation for this Node.js is in use. */
export function prepareZstd(): Promise<void> {
  if (node === null) node = nodeZstd();
  if (node !== undefined) return Promise.resolve();
  wasmLoading ??= loadWasmZstd().then(
    (loaded) => {
      wasm = loaded;
    },
    // Without WebAssembly (it can be switched off) the portable one goes on doing the work.
    () => undefined,
  );
  return wasmLoading;
}

function implementations(): ZstdImplementation[] {
  if (node === null) node = nodeZstd();
  if (node !== undefined) return [node];
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
  const frames = walkZstdFrames(data);
  if (frames === undefined) return err('corrupt', 'Invalid zstd frame');
  const smallest = frames.reduce((sum, frame) => sum + frame.smallestContent, 0);
  if (smallest > maxBytes) return err('too-large');
  const parts: Buffer[] = [];
  let total = 0;
  try {
    for (const frame of frames) {
      const part = inflateFrame(data.subarray(frame.start, frame.end), { choice, frame, maxBytes: maxBytes - total });
      total += part.length;
      if (total > maxBytes) return err('too-large');
      parts.push(part);
    }
  } catch (error) {
    return err(error instanceof TooLargeContent ? 'too-large' : inflateFailureOf(error), 'Invalid zstd data');
  }
  return ok(parts.length === 1 ? parts[0]! : Buffer.concat(parts, total));
}

function inflateFrame(
  data: Buffer,
  o: { choice: readonly ZstdImplementation[]; frame: ZstdFrame; maxBytes: number },
): Buffer {
  for (const implementation of o.choice) {
    const inflated = implementation.decompress(data, o.maxBytes, o.frame);
    if (inflated !== undefined) return asBuffer(inflated);
  }
  throw new TooLargeContent('no implementation takes so much');
}

export interface ZstdFrame {
  /** Where it lies in the data. */
  readonly start: number;
  readonly end: number;
  /** Bytes of content, at least and at most, as far as headers tell. */
  readonly smallestContent: number;
  readonly largestContent: number;
}

const MAGIC = 0xfd2fb528;
const MAGIC_BYTES = 4;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** What zstd's own decoder takes by default. */
const LARGEST_WINDOW = 2 ** 27;
const LARGEST_BLOCK = 128 * 1024;
const TWO_32 = 2 ** 32;

interface FrameHeader {
  readonly contentSize: number | undefined;
  readonly blockLimit: number;
  readonly checksum: boolean;
  readonly blocksAt: number;
}

/** The frames but skippable ones; undefined when headers do not fit the bytes or ask for too much. */
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
    const header = magic === MAGIC ? readFrameHeader(data, at + 4) : undefined;
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

function readFrameHeader(data: Buffer, start: number): FrameHeader | undefined {
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
  at += dictionaryBytes;
  let contentSize: number | undefined;
  if (sizeBytes === 8) contentSize = data.readUInt32LE(at) + data.readUInt32LE(at + 4) * TWO_32;
  else if (sizeBytes > 0) contentSize = data.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  if (singleSegment) windowSize = contentSize ?? 0;
  else if (windowSize > LARGEST_WINDOW) return undefined;
  return { contentSize, blockLimit: Math.min(LARGEST_BLOCK, windowSize), checksum: (descriptor & 4) !== 0, blocksAt };
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
    if (type === 3 || at > data.length) return undefined;
    if (block & 1) break;
  }
  at += header.checksum ? 4 : 0;
  return at > data.length ? undefined : { end: at, largest };
}

/** A frame of raw blocks: valid, and understood by every decoder. */
function storedFrame(data: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(MAGIC, 0);
  header[4] = 0xa0;
  header.writeUInt32LE(data.length, 5);
  const parts: Buffer[] = [header];
  let from = 0;
  do {
    const part = data.subarray(from, from + LARGEST_BLOCK);
    from += part.length;
    const blockHeader = Buffer.allocUnsafe(3);
    blockHeader.writeUIntLE((part.length << 3) | (from >= data.length ? 1 : 0), 0, 3);
    parts.push(blockHeader, part);
  } while (from < data.length);
  return Buffer.concat(parts);
}
