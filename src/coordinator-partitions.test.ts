/** Coordinators' appends and reads, over a replica manager that a test plays. */

import { Later } from './base/later';
import { ErrorCode } from './codec/generated/errors';
import { CoordinatorPartitions } from './coordinator-partitions';
import type { AppendRequest } from './replication/append-request';
import type { FetchRequest } from './replication/fetch-request';
import type { ReplicaManager } from './replication/replica-manager';

const partition = { topic: '__consumer_offsets', partition: 3 };

function over(replicaManager: object): CoordinatorPartitions {
  return new CoordinatorPartitions(replicaManager as ReplicaManager);
}

describe('appending', () => {
  const answering = (result: object, requests: AppendRequest[] = []) =>
    over({
      append: (request: AppendRequest) => {
        requests.push(request);
        return Later.of([result]);
      },
    });

  it('writes to internal topics as a coordinator', async () => {
    const requests: AppendRequest[] = [];
    const batch = Buffer.from('batch');
    const result = { errorCode: ErrorCode.NONE, errorMessage: null, baseOffset: 7, lastOffset: 9 };
    expect(await answering(result, requests).append(partition, batch)).toEqual({
      ok: true,
      value: { firstOffset: 7, lastOffset: 9 },
    });
    const entries = [{ ...partition, records: batch }];
    expect(requests).toEqual([{ requiredAcks: 1, origin: 'coordinator', internalTopicsAllowed: true, entries }]);
  });

  it('passes on why an append was refused', async () => {
    const result = {
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
      errorMessage: 'gone',
      baseOffset: -1,
      lastOffset: -1,
    };
    expect(await answering(result).append(partition, Buffer.alloc(0))).toEqual({
      ok: false,
      error: ErrorCode.NOT_LEADER_OR_FOLLOWER,
      message: 'gone',
    });
  });
});

describe('reading', () => {
  const answering = (result: object, requests: FetchRequest[] = []) =>
    over({
      fetch: async (request: FetchRequest) => {
        requests.push(request);
        return [result];
      },
    });

  it('reads up to the log end, without waiting', async () => {
    const requests: FetchRequest[] = [];
    const bytes = Buffer.from('batches');
    const read = await answering({ errorCode: ErrorCode.NONE, records: bytes }, requests).read(partition, 5, 100);
    expect(read).toEqual({ ok: true, value: bytes });
    expect(requests[0]).toMatchObject({ isolation: 'log-end', maxWaitMs: 0, maxBytes: 100 });
    expect(requests[0]!.partitions[0]).toMatchObject({ ...partition, fetchOffset: 5, maxBytes: 100 });
  });

  it('reads a file region piece by piece and releases it', async () => {
    let released = 0;
    const bytes = Buffer.from('batches in a file');
    const records = {
      length: bytes.length,
      read: async (target: Buffer, offset: number) => bytes.copy(target, 0, offset, offset + 5),
      release: () => void released++,
    };
    const read = await answering({ errorCode: ErrorCode.NONE, records }).read(partition, 0, 100);
    expect(read).toEqual({ ok: true, value: bytes });
    const short = { ...records, length: bytes.length + 1 };
    const failing = answering({ errorCode: ErrorCode.NONE, records: short }).read(partition, 0, 100);
    await expect(failing).rejects.toThrow('1 bytes early');
    expect(released).toBe(2);
  });

  it('gives nothing at the log end, and errors as they are', async () => {
    const atEnd = await answering({ errorCode: ErrorCode.NONE, records: null }).read(partition, 9, 100);
    expect(atEnd).toEqual({ ok: true, value: Buffer.alloc(0) });
    const failed = await answering({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR, records: null }).read(partition, 9, 100);
    expect(failed).toEqual({ ok: false, error: ErrorCode.KAFKA_STORAGE_ERROR });
  });

  it('tells the bounds of the partition', () => {
    const bounds = { ok: true, value: { logStartOffset: 1, logEndOffset: 3, highWatermark: 2 } };
    expect(over({ partitionOffsets: () => bounds }).bounds(partition)).toBe(bounds);
  });
});
