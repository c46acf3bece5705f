/**
 * Record batches and message sets for people to read: a line a batch, a line a record. Owns the form. Reads what it
 * can: bytes that are no batch, or the cut-off end of a fetch, are said to be that.
 */
import { bytesText } from '../codec/message-text';
import * as batchHeader from './batch-header';
import { Codec, MAX_INFLATED_BYTES } from './compression';
import { convertUp, isLegacyMessageSet } from './message-set';
import { decodeRecords, type LogRecord } from './record-codec';

const MOST_SHOWN_RECORDS = 20;

export function batchesText(records: Buffer): string[] {
  const lines: string[] = [];
  let at = 0;
  while (records.length - at >= batchHeader.HEADER_SIZE && batchHeader.magic(records, at) === batchHeader.MAGIC_V2) {
    const size = batchHeader.sizeInBytes(records, at);
    if (size < batchHeader.HEADER_SIZE || size > records.length - at) break;
    lines.push(batchLine(records, at), ...recordLines(decodeRecords(records, at, MAX_INFLATED_BYTES)));
    at += size;
  }
  const rest = records.subarray(at);
  if (rest.length === 0) return lines;
  if (at === 0 && isLegacyMessageSet(rest)) return messageSetText(rest);
  return [...lines, `${rest.length} bytes of a batch that is cut off or none`];
}

function batchLine(batch: Buffer, at: number): string {
  const parts = [
    `batch of format 2, ${codecName(batchHeader.codec(batch, at))}, ${batchHeader.sizeInBytes(batch, at)} bytes`,
    `offsets ${batchHeader.baseOffset(batch, at)} to ${batchHeader.lastOffset(batch, at)}`,
    `${batchHeader.recordCount(batch, at)} records`,
    `leader epoch ${batchHeader.partitionLeaderEpoch(batch, at)}`,
  ];
  if (batchHeader.timestampType(batch, at) === 'LogAppendTime')
    parts.push(`appended at ${batchHeader.maxTimestamp(batch, at)}`);
  if (batchHeader.producerId(batch, at) >= 0)
    parts.push(
      `producer ${batchHeader.producerId(batch, at)} epoch ${batchHeader.producerEpoch(batch, at)} ` +
        `from sequence ${batchHeader.baseSequence(batch, at)}`,
    );
  if (batchHeader.isTransactional(batch, at)) parts.push('transactional');
  if (batchHeader.isControl(batch, at)) parts.push('control');
  if (!batchHeader.isCrcValid(batch, at)) parts.push('WRONG CHECKSUM');
  return parts.join(', ');
}

function messageSetText(set: Buffer): string[] {
  const up = convertUp(set);
  if (!up.ok) return [`a message set that cannot be read: ${up.message ?? up.error}`];
  if (up.value.batch === null) return [`${set.length} bytes of a message set that is cut off`];
  const { magic, codec, batch } = up.value;
  return [
    `message set of format ${magic}, ${codecName(codec)}, ${batchHeader.recordCount(batch)} records, from 0 here`,
    ...recordLines(decodeRecords(batch)),
  ];
}

function codecName(bits: number): string {
  return Object.entries(Codec).find(([, codec]) => codec === bits)?.[0] ?? `codec ${bits}`;
}

function recordLines(records: ReturnType<typeof decodeRecords>): string[] {
  if (!records.ok) return [`  cannot be read: ${records.message ?? records.error}`];
  const shown = records.value.slice(0, MOST_SHOWN_RECORDS).map(recordLine);
  const left = records.value.length - shown.length;
  return left > 0 ? [...shown, `  and ${left} more`] : shown;
}

function recordLine({ offset, timestamp, key, value, headers }: LogRecord): string {
  const parts = [`key ${nullableText(key)}`, `value ${nullableText(value)}`];
  if (headers.length > 0)
    parts.push(
      `headers ${headers.map((header) => `${JSON.stringify(header.key)}: ${nullableText(header.value)}`).join(', ')}`,
    );
  return `  ${offset} at ${timestamp}: ${parts.join(', ')}`;
}

function nullableText(bytes: Buffer | null): string {
  return bytes === null ? 'null' : bytesText(bytes);
}
