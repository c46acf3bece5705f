/**
 * The two checksums of Kafka's record formats: CRC-32C over format v2, CRC-32 over the legacy formats.
 * Owns the choice of implementation: a native package where its binary loads, a portable one elsewhere. Both give the
 * same numbers. The packages are loaded at the first checksum, not at start.
 */

export interface Checksums {
  /** CRC-32C (Castagnoli), unsigned. */
  crc32c(data: Buffer): number;
  /** CRC-32 (IEEE, as in zlib), unsigned. */
  crc32(data: Buffer): number;
}

interface NativeModule {
  crc32c(data: Buffer): number;
  crc32(data: Buffer): number;
}

interface PortableModule {
  buf(data: Buffer, seed?: number): number;
}

/** The native implementation, or undefined where there is no binary for this platform. */
export function nativeChecksums(): Checksums | undefined {
  let native: NativeModule;
  try {
    native = require('@node-rs/crc32') as NativeModule;
  } catch {
    // The package throws while loading when it has no binary for this platform: that is what the portable one is for.
    return undefined;
  }
  return { crc32c: (data) => native.crc32c(data) >>> 0, crc32: (data) => native.crc32(data) >>> 0 };
}

/** The implementation in plain JavaScript, which works everywhere. */
export function portableChecksums(): Checksums {
  const ieee = require('crc-32') as PortableModule;
  const castagnoli = require('crc-32/crc32c') as PortableModule;
  return { crc32c: (data) => castagnoli.buf(data) >>> 0, crc32: (data) => ieee.buf(data) >>> 0 };
}

let chosen: Checksums | undefined;

function checksums(): Checksums {
  chosen ??= nativeChecksums() ?? portableChecksums();
  return chosen;
}

/** CRC-32C of `data`, unsigned. */
export function crc32c(data: Buffer): number {
  return checksums().crc32c(data);
}

/** CRC-32 of `data`, unsigned. */
export function crc32(data: Buffer): number {
  return checksums().crc32(data);
}
