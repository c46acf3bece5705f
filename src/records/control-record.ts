/**
 * Control records: what the broker itself writes between the records of clients, one to a control batch.
 * Owns their key and the value of transaction markers. (Kafka: ControlRecordType, EndTransactionMarker; KIP-98.)
 */

import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { decodeRecords } from './record-codec';

/** The type in a control record's key; others (snapshots, voters) belong to metadata logs. */
export const ControlType = { abort: 0, commit: 1, leaderChange: 2 } as const;

const KEY_BYTES = 4;
const MARKER_BYTES = 6;
const VERSION = 0;

export interface ControlKey {
  readonly version: number;
  readonly type: number;
}

/** Undefined when `key` is not that of a control record. */
export function parseControlKey(key: Buffer | null): ControlKey | undefined {
  if (key === null || key.length < KEY_BYTES) return undefined;
  const version = key.readInt16BE(0);
  return version < 0 ? undefined : { version, type: key.readInt16BE(2) };
}

export interface EndTransactionMarker {
  readonly isCommit: boolean;
  readonly coordinatorEpoch: number;
}

/** The marker in the control batch at `position`; undefined when it holds something else. */
export function endTransactionMarkerOf(batch: Buffer, position = 0): EndTransactionMarker | undefined {
  if (!batchHeader.isControl(batch, position)) return undefined;
  const records = decodeRecords(batch, position);
  const record = records.ok ? records.value[0] : undefined;
  const key = parseControlKey(record?.key ?? null);
  if (key === undefined || (key.type !== ControlType.abort && key.type !== ControlType.commit)) return undefined;
  const value = record?.value ?? null;
  if (value === null || value.length < MARKER_BYTES || value.readInt16BE(0) < 0) return undefined;
  return { isCommit: key.type === ControlType.commit, coordinatorEpoch: value.readInt32BE(2) };
}

export interface MarkerOptions extends EndTransactionMarker {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly timestampMs: number;
}

/** A control batch that ends a producer's transaction in one partition. */
export function buildEndTransactionMarker(options: MarkerOptions): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeInt16BE(VERSION, 0);
  key.writeInt16BE(options.isCommit ? ControlType.commit : ControlType.abort, 2);
  const value = Buffer.alloc(MARKER_BYTES);
  value.writeInt16BE(VERSION, 0);
  value.writeInt32BE(options.coordinatorEpoch, 2);
  return buildBatch({
    records: [{ timestamp: options.timestampMs, key, value }],
    producerId: options.producerId,
    producerEpoch: options.producerEpoch,
    isTransactional: true,
    isControl: true,
  });
}
