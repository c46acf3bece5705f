/**
 * Producer state as a file, `%020d.snapshot`: version, CRC-32C of what follows, entries. Only the last batch of a
 * producer is kept, as in Kafka. (Kafka: ProducerStateManager.readSnapshot, writeSnapshot; schema ProducerSnapshot.)
 */
import {
  decodeProducerSnapshot,
  encodeProducerSnapshot,
  type ProducerEntry as StoredEntry,
} from '../codec/generated/records/producer-snapshot';
import { MalformedMessage } from '../codec/malformed';
import { Reader } from '../codec/reader';
import { Writer } from '../codec/writer';
import { crc32c } from '../records/checksum';
import { ProducerEntry } from './producer-entry';

const VERSION = 1;
const CRC_POSITION = 2;
const ENTRIES_POSITION = 6;

export function encodeSnapshot(entries: Iterable<ProducerEntry>): Buffer {
  const producerEntries = Array.from(entries, (entry): StoredEntry => {
    const last = entry.batches.at(-1);
    return {
      producerId: entry.producerId,
      epoch: entry.producerEpoch,
      lastSequence: last?.lastSequence ?? -1,
      lastOffset: last?.lastOffset ?? -1,
      offsetDelta: last?.offsetDelta ?? 0,
      timestamp: entry.lastTimestampMs,
      coordinatorEpoch: entry.coordinatorEpoch,
      currentTxnFirstOffset: entry.transactionFirstOffset,
    };
  });
  const writer = new Writer();
  writer.int16(VERSION);
  encodeProducerSnapshot(writer, { crc: 0, producerEntries }, VERSION);
  const content = writer.finishBuffer();
  content.writeUInt32BE(crc32c(content.subarray(ENTRIES_POSITION)), CRC_POSITION);
  return content;
}

function restore(stored: StoredEntry): ProducerEntry {
  const entry = new ProducerEntry(stored.producerId);
  entry.producerEpoch = stored.epoch;
  entry.coordinatorEpoch = stored.coordinatorEpoch;
  entry.lastTimestampMs = stored.timestamp;
  entry.transactionFirstOffset = stored.currentTxnFirstOffset;
  entry.isPartial = true;
  if (stored.lastOffset >= 0) {
    const { lastSequence, lastOffset, offsetDelta, timestamp } = stored;
    entry.batches.push({ lastSequence, lastOffset, offsetDelta, timestampMs: timestamp });
  }
  return entry;
}

/** Undefined when the content is not a whole, undamaged snapshot. */
export function decodeSnapshot(content: Buffer): ProducerEntry[] | undefined {
  if (content.length < ENTRIES_POSITION) return undefined;
  if (content.readUInt32BE(CRC_POSITION) !== crc32c(content.subarray(ENTRIES_POSITION))) return undefined;
  try {
    const reader = new Reader(content);
    return decodeProducerSnapshot(reader, reader.int16()).producerEntries.map(restore);
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}
