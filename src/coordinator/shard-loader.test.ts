/** Replay of a partition: order, positions, transactions, bad records, and giving up. */
import { err } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { MalformedMessage } from '../codec/malformed';
import { buildBatch } from '../records/batch-builder';
import { buildEndTransactionMarker } from '../records/control-record';
import { CounterShard, counterCodec } from '../testing/counter-shard';
import { MemoryPartition } from '../testing/memory-partition';
import { RecordingLogger } from '../testing/recording-logger';
import { loadShard } from './shard-loader';

function setUp() {
  const reader = new MemoryPartition();
  const shard = new CounterShard();
  const logger = new RecordingLogger();
  const partition = { topic: '__consumer_offsets', partition: 3 };
  const options = {
    partition,
    reader,
    shard,
    codec: counterCodec,
    readSizeBytes: 150,
    logger,
    isCancelled: () => false,
  };
  return { reader, shard, logger, options };
}

const counted = (...by: number[]) =>
  by.map((n) => ({ timestamp: 1, key: Buffer.from('count'), value: Buffer.from(String(n)) }));

describe('loadShard', () => {
  it('replays every batch in order, over several reads', async () => {
    const t = setUp();
    for (const by of [1, 2, 3, 4, 5]) t.reader.put(buildBatch({ records: counted(by, 10 * by) }));
    t.reader.highWatermark = 8;
    const loaded = await loadShard(t.options);
    expect(loaded).toEqual({ ok: true, value: { logEndOffset: 10, highWatermark: 8, records: 10 } });
    expect(t.shard.count).toBe(165);
    expect(t.shard.applied.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('replays nothing from an empty partition', async () => {
    const t = setUp();
    expect(await loadShard(t.options)).toMatchObject({ ok: true, value: { logEndOffset: 0, records: 0 } });
  });

  it('tells records of transactions and their ends', async () => {
    const t = setUp();
    const transaction = { producerId: 9, producerEpoch: 0, isTransactional: true, baseSequence: 0 };
    t.reader.put(buildBatch({ ...transaction, records: counted(1) }));
    const marker = { producerId: 9, producerEpoch: 0, timestampMs: 1, coordinatorEpoch: 0 };
    t.reader.put(buildEndTransactionMarker({ ...marker, isCommit: true }));
    t.reader.put(buildEndTransactionMarker({ ...marker, isCommit: false }));
    t.reader.put(buildBatch({ producerId: 9, producerEpoch: 0, baseSequence: 1, records: counted(1) }));
    await loadShard(t.options);
    expect(t.shard.applied).toEqual([
      { offset: 0, producerId: 9 },
      { offset: 3, producerId: -1 },
    ]);
    expect(t.shard.markers).toEqual([
      { producerId: 9, commit: true },
      { producerId: 9, commit: false },
    ]);
  });

  it('leaves out what it does not know and what cannot be read', async () => {
    const t = setUp();
    const unknown = { timestamp: 1, key: Buffer.from('other'), value: null };
    const keyless = { timestamp: 1, key: null, value: Buffer.from('1') };
    t.reader.put(buildBatch({ records: [unknown, keyless, ...counted(1)] }));
    const broken = buildBatch({ records: counted(1) });
    broken.writeInt32BE(5, 57);
    t.reader.put(broken);
    t.reader.put(buildBatch({ records: counted(2) }));
    const codec = {
      ...counterCodec,
      decode: (key: Buffer, value: Buffer | null) => {
        if (value?.toString() === '2') throw new MalformedMessage('no');
        return counterCodec.decode(key, value);
      },
    };
    expect(await loadShard({ ...t.options, codec })).toMatchObject({ ok: true });
    expect(t.shard.count).toBe(1);
    expect(t.logger.of('error').map(({ message }) => message)).toEqual([
      'a batch of a coordinator cannot be read',
      'a record of a coordinator cannot be read',
    ]);
  });

  it('gives up when the partition cannot be read', async () => {
    const t = setUp();
    t.reader.put(buildBatch({ records: counted(1) }));
    t.reader.readFailures.push(err(ErrorCode.NOT_LEADER_OR_FOLLOWER));
    expect(await loadShard(t.options)).toEqual(err(ErrorCode.NOT_LEADER_OR_FOLLOWER));
  });

  it('stops early when nobody waits for it', async () => {
    const t = setUp();
    for (let i = 0; i < 5; i++) t.reader.put(buildBatch({ records: counted(1) }));
    let left = 2;
    await loadShard({ ...t.options, readSizeBytes: 1, isCancelled: () => left-- === 0 });
    expect(t.shard.count).toBe(2);
  });
});
