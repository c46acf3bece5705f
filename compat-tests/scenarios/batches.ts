/**
 * Record batches as clients send them, right and wrong ones, and message sets of the formats before them. What a test
 * makes wrong it makes wrong on purpose: the checksum is mended after every change.
 */
import { gzipSync } from 'node:zlib';
import { type BatchOptions, buildBatch } from '../../src/records/batch-builder';
import * as batchHeader from '../../src/records/batch-header';
import { crc32 } from '../../src/records/checksum';
import { decodeRecords, type LogRecord } from '../../src/records/record-codec';

const LEGACY_GZIP = 1;

/** A batch with these values, keyless, of now. */
export function batchOf(values: readonly string[], o: Partial<BatchOptions> = {}): Buffer {
  const timestamp = Date.now();
  const records = values.map((value) => ({ timestamp, key: null, value: Buffer.from(value) }));
  return buildBatch({ records, ...o });
}

/** A copy of `batch` that `change` has touched, with the checksum that fits it. */
export function changed(batch: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(batch);
  change(copy);
  batchHeader.recomputeCrc(copy);
  return copy;
}

/** `batches` apart, as they lie one behind the other; a cut-off one at the end fails. */
export function splitBatches(batches: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < batches.length; at += found.at(-1)!.length) {
    found.push(batches.subarray(at, at + batchHeader.sizeInBytes(batches, at)));
  }
  return found;
}

/** The records of all batches; throws for one that cannot be read. */
export function recordsIn(batches: Buffer): LogRecord[] {
  return splitBatches(batches).flatMap((batch) => {
    if (!batchHeader.isCrcValid(batch)) throw new Error('wrong checksum');
    const decoded = decodeRecords(batch);
    if (!decoded.ok) throw new Error(decoded.error);
    return decoded.value;
  });
}

export function valuesIn(batches: Buffer): (string | null)[] {
  return recordsIn(batches).map(({ value }) => value?.toString() ?? null);
}

/** A message of format 0 or 1. */
export interface LegacyMessage {
  readonly magic: 0 | 1;
  readonly offset: number;
  readonly key: string | null;
  readonly value: Buffer | string | null;
  /** Format 1 only. */
  readonly timestamp?: number;
  readonly attributes?: number;
}

/** A message set with these messages, in the order given. */
export function legacySet(messages: readonly LegacyMessage[]): Buffer {
  return Buffer.concat(messages.map(legacyEntry));
}

/** `messages` within one message of the same format. */
export function gzippedSet(messages: readonly LegacyMessage[]): Buffer {
  const last = messages.at(-1)!;
  return legacySet([{ ...last, key: null, value: gzipSync(legacySet(messages)), attributes: LEGACY_GZIP }]);
}

function legacyEntry(message: LegacyMessage): Buffer {
  const nullable = (text: Buffer | string | null): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(text === null ? -1 : Buffer.byteLength(text));
    return text === null ? length : Buffer.concat([length, Buffer.from(text)]);
  };
  const time = Buffer.alloc(message.magic === 0 ? 0 : 8);
  if (message.magic === 1) time.writeBigInt64BE(BigInt(message.timestamp ?? -1));
  const covered = Buffer.concat([
    Buffer.from([message.magic, message.attributes ?? 0]),
    time,
    nullable(message.key),
    nullable(message.value),
  ]);
  const head = Buffer.alloc(16);
  head.writeBigInt64BE(BigInt(message.offset));
  head.writeInt32BE(covered.length + 4, 8);
  head.writeUInt32BE(crc32(covered), 12);
  return Buffer.concat([head, covered]);
}

/** The whole messages of a set without compression; what is cut off at the end is left out. */
export function legacyMessagesIn(set: Buffer): LegacyMessage[] {
  const found: LegacyMessage[] = [];
  for (let at = 0; at + 12 <= set.length && at + 12 + set.readInt32BE(at + 8) <= set.length; ) {
    found.push(legacyMessageAt(set, at));
    at += 12 + set.readInt32BE(at + 8);
  }
  return found;
}

function legacyMessageAt(set: Buffer, at: number): LegacyMessage {
  const magic = set.readInt8(at + 16) as 0 | 1;
  const keyAt = at + (magic === 0 ? 18 : 26);
  const keyLength = set.readInt32BE(keyAt);
  const valueAt = keyAt + 4 + Math.max(keyLength, 0);
  const valueLength = set.readInt32BE(valueAt);
  const slice = (start: number, length: number): Buffer | null =>
    length < 0 ? null : set.subarray(start, start + length);
  return {
    magic,
    offset: Number(set.readBigInt64BE(at)),
    attributes: set.readInt8(at + 17),
    ...(magic === 1 && { timestamp: Number(set.readBigInt64BE(at + 18)) }),
    key: slice(keyAt + 4, keyLength)?.toString() ?? null,
    value: slice(valueAt + 4, valueLength),
  };
}
