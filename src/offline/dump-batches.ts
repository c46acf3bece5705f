/**
 * The batches of a segment or snapshot as lines: one for each, and with deep iteration one for each of their records.
 * Owns the form, which is that of Kafka's dump tool, so that what parses it goes on working. Goes through files of any
 * size in a constant amount of memory. (Kafka: DumpLogSegments.dumpLog.)
 */

import { BatchScanner } from '../log/batch-scanner';
import type { FileHandle } from '../log/file-system';
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';
import { Codec, isCodec } from '../records/compression';
import { decodeRecords } from '../records/record-codec';
import { controlRecordText } from './control-record-text';
import type { DumpOutput } from './dump-output';
import { isLegacyCrcValid, legacyCodec, legacyCrc, legacyRecords, legacyTimestampType } from './legacy-records';
import type { RecordDecoder } from './record-decoders';

export interface DumpBatchesOptions {
  readonly deepIteration: boolean;
  readonly skipRecordMetadata: boolean;
  /** Undefined: keys and values are not shown. */
  readonly decoder: RecordDecoder | undefined;
  /** Batches beyond this many bytes are not looked at. */
  readonly maxBytes: number;
}

const RECORD_INDENT = '|';

/** A record of any format, as far as its line needs it. */
interface ShownRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** What stands between the sizes and the contents. */
  readonly more: string;
}

export class BatchDump {
  readonly #handle: FileHandle;
  readonly #name: string;
  readonly #options: DumpBatchesOptions;
  readonly #output: DumpOutput;
  /** Pairs of offsets that follow each other and leave a gap. */
  readonly #gaps: [number, number][] = [];
  #lastOffset = -1;

  constructor(file: { handle: FileHandle; name: string }, options: DumpBatchesOptions, output: DumpOutput) {
    this.#handle = file.handle;
    this.#name = file.name;
    this.#options = options;
    this.#output = output;
  }

  /** Prints all; gives the gaps, for the end of the whole dump. */
  async run(): Promise<readonly [number, number][]> {
    const fileBytes = this.#handle.size();
    const to = Math.min(fileBytes, this.#options.maxBytes);
    const scanner = new BatchScanner(this.#handle, { from: 0, to });
    while (await scanner.next()) {
      const batch = scanner.batch();
      this.#output.line(
        storedBatch.isV2(batch, 0) ? batchLine(batch, scanner.position) : legacyLine(batch, scanner.position),
      );
      if (this.#options.deepIteration) this.#records(batch);
      await this.#output.drained();
    }
    const left = fileBytes - scanner.position;
    if (left > 0 && to === fileBytes) this.#output.line(`Found ${left} invalid bytes at the end of ${this.#name}`);
    return this.#gaps;
  }

  #records(batch: Buffer): void {
    const records = storedBatch.isV2(batch, 0) ? recordsOf(batch) : legacyRecordsOf(batch);
    if (typeof records === 'string') {
      const offset = batchHeader.baseOffset(batch);
      this.#output.problem(`The records of the batch at offset ${offset} cannot be read: ${records}`);
      return;
    }
    const isV2 = storedBatch.isV2(batch, 0);
    const isControl = isV2 && batchHeader.isControl(batch);
    const timestampType = isV2 ? batchHeader.timestampType(batch) : legacyTimestampType(batch);
    for (const record of records) {
      if (record.offset !== this.#lastOffset + 1) this.#gaps.push([this.#lastOffset, record.offset]);
      this.#lastOffset = record.offset;
      const metadata = this.#options.skipRecordMetadata ? '' : metadataText(record, timestampType, isControl);
      const contents = isControl ? '' : this.#contents(record);
      this.#output.line(metadata + contents);
    }
  }

  #contents(record: ShownRecord): string {
    const { decoder, skipRecordMetadata } = this.#options;
    if (!decoder) return '';
    const { key, payload } = decoder(record);
    const parts = [];
    if (key !== undefined) parts.push(`key: ${key}`);
    if (payload !== undefined) parts.push(`payload: ${payload}`);
    if (parts.length === 0) return '';
    return `${skipRecordMetadata ? `${RECORD_INDENT} ` : ' '}${parts.join(' ')}`;
  }
}

function metadataText(record: ShownRecord, timestampType: string, isControl: boolean): string {
  const { offset, timestamp, key, value, more } = record;
  const sizes = `keySize: ${key?.length ?? -1} valueSize: ${value?.length ?? -1}`;
  const control = isControl ? ` ${controlRecordText(record)}` : '';
  return `${RECORD_INDENT} offset: ${offset} ${timestampType}: ${timestamp} ${sizes}${more}${control}`;
}

/** The records of a v2 batch; a text says why they cannot be read. */
function recordsOf(batch: Buffer): ShownRecord[] | string {
  const records = decodeRecords(batch);
  if (!records.ok) return records.error;
  const baseOffset = batchHeader.baseOffset(batch);
  const baseSequence = batchHeader.baseSequence(batch);
  return records.value.map(({ offset, timestamp, key, value, headers }) => {
    const sequence = baseSequence < 0 ? -1 : batchHeader.incrementSequence(baseSequence, offset - baseOffset);
    const headerKeys = headers.map((header) => header.key).join(',');
    return { offset, timestamp, key, value, more: ` sequence: ${sequence} headerKeys: [${headerKeys}]` };
  });
}

function legacyRecordsOf(batch: Buffer): ShownRecord[] | string {
  const records = legacyRecords(batch);
  if (!records.ok) return records.error;
  return records.value.map(({ offset, timestamp, key, value, isValid, crc }) => ({
    offset,
    timestamp,
    key,
    value,
    more: ` isValid: ${isValid} crc: ${crc}`,
  }));
}

function codecName(codec: number): string {
  return isCodec(codec) ? Object.keys(Codec)[codec]! : `unknown (${codec})`;
}

function batchLine(batch: Buffer, position: number): string {
  const deleteHorizonMs = batchHeader.deleteHorizonMs(batch);
  const parts = {
    baseOffset: batchHeader.baseOffset(batch),
    lastOffset: batchHeader.lastOffset(batch),
    count: batchHeader.recordCount(batch),
    baseSequence: batchHeader.baseSequence(batch),
    lastSequence: batchHeader.lastSequence(batch),
    producerId: batchHeader.producerId(batch),
    producerEpoch: batchHeader.producerEpoch(batch),
    partitionLeaderEpoch: batchHeader.partitionLeaderEpoch(batch),
    isTransactional: batchHeader.isTransactional(batch),
    isControl: batchHeader.isControl(batch),
    deleteHorizonMs: deleteHorizonMs === undefined ? 'OptionalLong.empty' : `OptionalLong[${deleteHorizonMs}]`,
    position,
    [batchHeader.timestampType(batch)]: batchHeader.maxTimestamp(batch),
    size: batch.length,
    magic: batchHeader.magic(batch),
    compresscodec: codecName(batchHeader.codec(batch)),
    crc: batchHeader.crc(batch),
    isvalid: batchHeader.isCrcValid(batch),
  };
  return textOf(parts);
}

function legacyLine(batch: Buffer, position: number): string {
  return textOf({
    offset: batchHeader.baseOffset(batch),
    position,
    [legacyTimestampType(batch)]: storedBatch.maxTimestamp(batch, 0),
    size: batch.length,
    magic: batchHeader.magic(batch),
    compresscodec: codecName(legacyCodec(batch)),
    crc: legacyCrc(batch),
    isvalid: isLegacyCrcValid(batch),
  });
}

function textOf(parts: Readonly<Record<string, number | boolean | string>>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' ');
}
