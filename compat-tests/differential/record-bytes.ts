/** Batches from their specs, and stored batches as something that can be compared. */
import { buildBatch } from '../../src/records/batch-builder';
import * as batchHeader from '../../src/records/batch-header';
import {
  type Codec,
  compress,
  compressFormat0,
  decompress,
  decompressFormat0,
  MAX_INFLATED_BYTES,
} from '../../src/records/compression';
import { isLegacyMessageSet } from '../../src/records/message-set';
import { decodeRecords } from '../../src/records/record-codec';
import { type LegacyMessage, legacyMessagesIn, legacySet } from '../scenarios/batches';
import type { BatchSpec, LegacySpec, RecordsSpec } from './steps';

export interface RecordsContext {
  readonly baseTimeMs: number;
  producerId(index: number): number;
}

export function encodeRecords(spec: RecordsSpec, context: RecordsContext): Buffer {
  const legacy = spec.legacy ? [encodeLegacy(spec.legacy, context)] : [];
  const batches = spec.batches.map((batch) => encodeBatch(batch, context));
  return Buffer.concat([...legacy, ...batches, Buffer.alloc(spec.trailing, 1)]);
}

function encodeLegacy(spec: LegacySpec, { baseTimeMs }: RecordsContext): Buffer {
  const { magic, codec } = spec;
  const timeOf = (time: number | null): number => (time === null ? -1 : baseTimeMs + time);
  const messages = spec.records.map(({ key, value, time }, at): LegacyMessage => {
    return { magic, offset: spec.offsets[at] ?? 0, key, value, ...(magic === 1 && { timestamp: timeOf(time) }) };
  });
  const packed = (set: Buffer): Buffer => (magic === 0 ? compressFormat0 : compress)(codec as Codec, set);
  const held = (inner: readonly LegacyMessage[]): LegacyMessage => {
    const last = inner.at(-1)!;
    return { ...last, key: null, value: packed(legacySet(inner)), attributes: codec };
  };
  let set = messages;
  if (codec !== 0) set = [held(messages)];
  if (codec !== 0 && spec.isNested) set = [held(set)];
  const bytes = legacySet(set);
  for (const { at, xor } of spec.damage ?? []) {
    const place = at < 0 ? bytes.length + at : at;
    if (place >= 0 && place < bytes.length) bytes[place]! ^= xor;
  }
  return bytes;
}

function encodeBatch(spec: BatchSpec, context: RecordsContext): Buffer {
  const { producer } = spec;
  const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));
  const time = (value: number | null): number => (value === null ? -1 : context.baseTimeMs + value);
  const batch = buildBatch({
    records: spec.records.map((record) => ({
      key: bytes(record.key),
      value: bytes(record.value),
      timestamp: time(record.time),
      headers: record.headers.map(([key, value]) => ({ key, value: bytes(value) })),
    })),
    codec: spec.codec as Codec,
    ...(producer && {
      producerId: context.producerId(producer.index),
      producerEpoch: producer.epoch,
      baseSequence: producer.sequence,
    }),
  });
  writeHeader(batch, spec, time);
  for (const { at, xor } of spec.damage ?? []) {
    const place = at < 0 ? batch.length + at : at;
    if (place >= 0 && place < batch.length) batch[place]! ^= xor;
  }
  if (spec.mendCrc) batchHeader.recomputeCrc(batch);
  return spec.cut === undefined ? batch : batch.subarray(0, Math.max(0, batch.length - spec.cut));
}

function writeHeader(batch: Buffer, { header = {} }: BatchSpec, time: (value: number) => number): void {
  if (header.baseOffset !== undefined) batchHeader.patchBaseOffset(batch, 0, header.baseOffset);
  if (header.lastOffsetDelta !== undefined) batchHeader.patchLastOffsetDelta(batch, 0, header.lastOffsetDelta);
  if (header.recordCount !== undefined) batchHeader.patchRecordCount(batch, 0, header.recordCount);
  if (header.attributes !== undefined) batchHeader.patchAttributes(batch, 0, header.attributes);
  if (header.maxTime !== undefined) batchHeader.patchMaxTimestamp(batch, 0, time(header.maxTime));
  if (header.magic !== undefined) batch.writeInt8(header.magic, batchHeader.MAGIC_POSITION);
  if (header.sizeDelta !== undefined) batchHeader.patchSizeInBytes(batch, 0, batch.length + header.sizeDelta);
}

/** What a stored batch is to be compared by; `time` and `producer` are told in the terms of the round. */
export function describeBatches(
  records: Buffer,
  terms: { time: (ms: number) => unknown; producer: (id: number) => unknown },
): unknown[] {
  if (isLegacyMessageSet(records)) return describeMessages(records, terms.time);
  const found: unknown[] = [];
  for (let at = 0; at + batchHeader.HEADER_SIZE <= records.length; at += batchHeader.sizeInBytes(records, at)) {
    // What is cut off at the end is no batch: limits may end in the middle of one.
    if (at + batchHeader.sizeInBytes(records, at) > records.length) break;
    const decoded = decodeRecords(records, at);
    found.push({
      baseOffset: batchHeader.baseOffset(records, at),
      lastOffsetDelta: batchHeader.lastOffsetDelta(records, at),
      leaderEpoch: batchHeader.partitionLeaderEpoch(records, at),
      attributes: batchHeader.attributes(records, at),
      baseTimestamp: terms.time(batchHeader.baseTimestamp(records, at)),
      maxTimestamp: terms.time(batchHeader.maxTimestamp(records, at)),
      producerId: terms.producer(batchHeader.producerId(records, at)),
      producerEpoch: batchHeader.producerEpoch(records, at),
      baseSequence: batchHeader.baseSequence(records, at),
      isCrcValid: batchHeader.isCrcValid(records, at),
      records: decoded.ok
        ? decoded.value.map(({ offset, timestamp, key, value, headers }) => [
            offset,
            terms.time(timestamp),
            key?.toString('latin1') ?? null,
            value?.toString('latin1') ?? null,
            ...headers.map((header) => `${header.key}=${header.value?.toString('latin1') ?? 'null'}`),
          ])
        : `unreadable: ${records.subarray(at, at + batchHeader.sizeInBytes(records, at)).toString('hex')}`,
    });
  }
  return found;
}

/** Whole messages of a set, with those inside them. A rest that is cut off is left out. */
function describeMessages(set: Buffer, time: (ms: number) => unknown): unknown[] {
  return legacyMessagesIn(set).map(({ magic, offset, attributes = 0, timestamp, key, value }) => {
    const codec = attributes & 0x07;
    const told = { magic, offset, attributes, timestamp: timestamp === undefined ? null : time(timestamp), key };
    if (codec === 0 || !Buffer.isBuffer(value)) return { ...told, value: value?.toString('latin1') ?? null };
    const inner = (magic === 0 ? decompressFormat0 : decompress)(codec, value, MAX_INFLATED_BYTES);
    return { ...told, messages: inner.ok ? describeMessages(inner.value, time) : `unreadable: ${inner.error}` };
  });
}
