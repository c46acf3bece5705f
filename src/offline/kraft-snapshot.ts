/**
 * A snapshot of KRaft's metadata log as a file: a control batch that opens it, batches of records, a control batch that
 * ends it. Pure. Owns the form, not what the records say. (Kafka: RecordsSnapshotWriter, Snapshots; KIP-630.)
 */
import { encodeSnapshotFooterRecord } from '../codec/generated/records/snapshot-footer-record';
import { encodeSnapshotHeaderRecord } from '../codec/generated/records/snapshot-header-record';
import { Writer } from '../codec/writer';
import { buildBatch } from '../records/batch-builder';

const VERSION = 0;
/** Types of control records. */
const SNAPSHOT_HEADER = 3;
const SNAPSHOT_FOOTER = 4;
const RECORDS_PER_BATCH = 1000;
/** Of the log that the snapshot stands for: any that is not 0, which stands for a log without records. */
const LEADER_EPOCH = 1;

/** Everything before this offset is in the snapshot: the log goes on here. */
export function snapshotName(endOffset: number): string {
  return `${String(endOffset).padStart(20, '0')}-${String(LEADER_EPOCH).padStart(10, '0')}.checkpoint`;
}

function controlBatch(
  type: number,
  encode: (writer: Writer) => void,
  at: { offset: number; timestampMs: number },
): Buffer {
  const key = Buffer.alloc(4);
  key.writeInt16BE(VERSION, 0);
  key.writeInt16BE(type, 2);
  const writer = new Writer();
  encode(writer);
  return buildBatch({
    baseOffset: at.offset,
    partitionLeaderEpoch: LEADER_EPOCH,
    isControl: true,
    records: [{ timestamp: at.timestampMs, key, value: writer.finishBuffer() }],
  });
}

/** `values`: at least one record, without their offsets. */
export function kraftSnapshot(values: readonly Buffer[], timestampMs: number): Buffer {
  const header = { version: VERSION, lastContainedLogTimestamp: timestampMs };
  const open = (writer: Writer): void => encodeSnapshotHeaderRecord(writer, header, VERSION);
  const batches = [controlBatch(SNAPSHOT_HEADER, open, { offset: 0, timestampMs })];
  let offset = 1;
  for (let at = 0; at < values.length; at += RECORDS_PER_BATCH) {
    const records = values
      .slice(at, at + RECORDS_PER_BATCH)
      .map((value) => ({ timestamp: timestampMs, key: null, value }));
    batches.push(buildBatch({ baseOffset: offset, partitionLeaderEpoch: LEADER_EPOCH, records }));
    offset += records.length;
  }
  const close = (writer: Writer): void => encodeSnapshotFooterRecord(writer, { version: VERSION }, VERSION);
  batches.push(controlBatch(SNAPSHOT_FOOTER, close, { offset, timestampMs }));
  return Buffer.concat(batches);
}
