/** Which partitions are led, by leader epoch, and where operations go. */
import { err, ok } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { type CounterOp, type CounterRecord, CounterShard, counterCodec } from '../testing/counter-shard';
import { ManualClock } from '../testing/manual-clock';
import { MemoryPartition } from '../testing/memory-partition';
import { RecordingLogger } from '../testing/recording-logger';
import { CoordinatorRuntime } from './runtime';

function setUp() {
  const logs = [new MemoryPartition(), new MemoryPartition()];
  let shards = 0;
  const runtime = new CoordinatorRuntime<CounterOp, CounterRecord>('t', {
    makeShard: () => {
      shards++;
      return new CounterShard();
    },
    codec: counterCodec,
    writer: { append: (at, batch) => logs[at.partition]!.append(at, batch) },
    reader: {
      bounds: (at) => logs[at.partition]!.bounds(),
      read: (at, offset, maxBytes) => logs[at.partition]!.read(at, offset, maxBytes),
    },
    clock: new ManualClock(),
    logger: new RecordingLogger(),
    maxBatchBytes: 1000,
    compressionCodec: 0,
    commitTimeoutMs: 5000,
    loadBufferBytes: 1000,
  });
  for (const [partition, log] of logs.entries()) {
    log.onHighWatermark = (offset) => runtime.onHighWatermark(partition, offset);
  }
  const add = (partition: number, by: number) =>
    runtime.submit<number>(partition, (token) => ({ kind: 'add', by, token }));
  return { runtime, add, shards: () => shards };
}

describe('CoordinatorRuntime', () => {
  it('keeps partitions apart', async () => {
    const t = setUp();
    t.runtime.load(0, 1);
    t.runtime.load(1, 1);
    await t.runtime.loaded();
    expect(t.runtime.partitions()).toEqual([0, 1]);
    await t.add(0, 5);
    expect(await t.add(1, 1)).toEqual(ok(1));
    expect(await t.add(0, 1)).toEqual(ok(6));
  });

  it('refuses where this broker does not lead', async () => {
    const t = setUp();
    expect(await t.add(0, 1)).toEqual(err(ErrorCode.NOT_COORDINATOR));
    t.runtime.onHighWatermark(0, 5);
  });

  it('keeps a shard whose leader stays, whatever the epoch', async () => {
    const t = setUp();
    t.runtime.load(0, 1);
    await t.runtime.loaded();
    t.runtime.load(0, 2);
    expect(await t.add(0, 1)).toEqual(ok(1));
    expect(t.shards()).toBe(1);
  });

  it('ignores an unload that is older than the load', async () => {
    const t = setUp();
    t.runtime.load(0, 5);
    t.runtime.unload(0, 4);
    t.runtime.unload(0, 5);
    expect(t.runtime.partitions()).toEqual([0]);
    t.runtime.unload(0, 6);
    expect(t.runtime.partitions()).toEqual([]);
    expect(await t.add(0, 1)).toEqual(err(ErrorCode.NOT_COORDINATOR));
  });

  it('unloads without an epoch what is gone, and loads it again from its records', async () => {
    const t = setUp();
    t.runtime.load(0, 1);
    await t.runtime.loaded();
    await t.add(0, 7);
    t.runtime.unload(0);
    t.runtime.unload(0);
    t.runtime.load(0, 2);
    await t.runtime.loaded();
    expect(await t.add(0, 1)).toEqual(ok(8));
  });

  it('loads nothing any more when it is closed', async () => {
    const t = setUp();
    t.runtime.load(0, 1);
    t.runtime.close();
    t.runtime.load(1, 1);
    expect(t.runtime.partitions()).toEqual([]);
  });
});
