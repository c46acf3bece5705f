/**
 * Zstandard by the C library, called in place: from the memory where the batch lies into memory that is used again,
 * with one context for all. Owns the calls and the memory they fill. The library is the one in Node.js itself (from
 * 22.15 on), else the system's, where koffi is there to call it; it costs less than node:zlib, which makes a context
 * and buffers for each call, and half of WebAssembly. Frames come here walked (compression-zstd-frames.ts).
 * (The functions: zstd.h, the part that is stable since 1.4.)
 */
import { assert } from '../base/assert';
import { loadNativeLibrary, type NativeFunction } from '../base/native-library';
import { corrupt } from './compression-zstd-entropy';
import type { ZstdFrame } from './compression-zstd-frames';
import { TooLargeContent } from './compression-zstd-portable';
import { type InflateInto, keptIn, passingRoom } from './inflate-room';

export interface ZstdLibrary {
  compress(data: Buffer, level: number | undefined): Buffer;
  /** The content of `data`, the frame `frame`. Throws where it is malformed, or larger than `into` allows. */
  decompress(data: Buffer, into: InflateInto, frame: ZstdFrame): Buffer;
}

/**
 * Where it may be: among what Node.js itself brings, and as the system's; elsewhere nobody has tried it. Node's first:
 * with both, calls of the system's within itself would end in Node's functions of another version.
 */
const PLACES: readonly (string | null)[] = process.platform === 'linux' ? [null, 'libzstd.so.1'] : [];
/** 1.4.0 */
const OLDEST_VERSION = 10400;
const DEFAULT_LEVEL = 3;
/** Of zstd_errors.h. */
const DESTINATION_TOO_SMALL = -70;
/** The memory for content whose size no header tells: at first so much, then each time so many times more. */
const FIRST_BYTES = 2 * 1024 * 1024;
const GROWTH = 4;

interface Functions {
  readonly context: unknown;
  /** Each gives a size, or the negative of an error's number. */
  readonly decompressDCtx: NativeFunction;
  readonly compress: NativeFunction;
  readonly compressBound: NativeFunction;
}

function load(place: string | null): Functions | undefined {
  const library = loadNativeLibrary(place);
  if (typeof library === 'string') return undefined;
  try {
    if (Number(library.func('ZSTD_versionNumber', 'uint32', [])()) < OLDEST_VERSION) return undefined;
    return {
      context: library.func('ZSTD_createDCtx', 'void *', [])(),
      // The results are size_t; as signed numbers, those that mean errors are small.
      decompressDCtx: library.func('ZSTD_decompressDCtx', 'int64', ['void *', 'void *', 'size_t', 'void *', 'size_t']),
      compress: library.func('ZSTD_compress', 'int64', ['void *', 'size_t', 'void *', 'size_t', 'int']),
      compressBound: library.func('ZSTD_compressBound', 'size_t', ['size_t']),
    };
  } catch {
    // Another library has no such functions: Node.js before 22.15.
    return undefined;
  }
}

/** The library, or undefined where it cannot be called. */
export function libraryZstd(): ZstdLibrary | undefined {
  for (const place of PLACES) {
    const functions = load(place);
    if (functions) return over(functions);
  }
  return undefined;
}

function over({ context, decompressDCtx, compress, compressBound }: Functions): ZstdLibrary {
  return {
    compress: (data, level = DEFAULT_LEVEL) => {
      const out = Buffer.allocUnsafe(Number(compressBound(data.length)));
      const size = Number(compress(out, out.length, data, data.length, level));
      assert(size >= 0, `memory for what zstd compresses (error ${-size})`);
      return Buffer.from(out.subarray(0, size));
    },
    decompress: (data, { maxBytes, room }, frame) => {
      const most = Math.min(frame.largestContent, maxBytes);
      for (let bytes = Math.min(most, FIRST_BYTES); ; bytes = Math.min(most, bytes * GROWTH)) {
        // Never empty, which would be no address.
        const out = passingRoom(Math.max(1, bytes));
        const size = Number(decompressDCtx(context, out, bytes, data, data.length));
        if (size >= 0) return keptIn(room, out.subarray(0, size));
        if (size !== DESTINATION_TOO_SMALL) corrupt(`the library's error ${-size}`);
        if (bytes === frame.largestContent) corrupt('more content than its headers say');
        if (bytes === maxBytes) throw new TooLargeContent('more content than is allowed');
      }
    },
  };
}
