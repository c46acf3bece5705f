/** The rules for old versions: which format, which refusals, and that file regions are let go of. */
import type { FileRegion } from '../base/chunk';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import type { PartitionFetchResult } from '../replication/fetch-request';
import { startDataBroker } from '../testing/data-context';
import { testBatch } from '../testing/replica-fixture';
import { convertFetched, withoutData } from './fetch-conversion';

const NAME = { topic: 't', topicId: 'x', partition: 0 };
const WANTED = { fetchOffset: 0, maxBytes: 1_000_000 };

class Region implements FileRegion {
  readonly length: number;
  released = 0;
  readonly #bytes: Buffer;
  readonly #fails: 'read' | 'end' | undefined;

  constructor(bytes: Buffer, fails?: 'read' | 'end') {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.#fails = fails;
  }

  /** Gives a little at a time. */
  async read(target: Buffer, offset: number): Promise<number> {
    if (this.#fails === 'read') throw new Error('EIO');
    if (this.#fails === 'end' && offset > 0) return 0;
    return this.#bytes.copy(target, 0, offset, Math.min(offset + 50, this.#bytes.length));
  }

  release(): void {
    this.released++;
  }
}

function read(records: PartitionFetchResult['records']): PartitionFetchResult {
  const sizeInBytes = records?.length ?? 0;
  return { ...withoutData(NAME, ErrorCode.NONE), highWatermark: 9, records, sizeInBytes };
}

async function setUp(configs: Record<string, string> = {}) {
  const broker = await startDataBroker();
  await broker.createTopic('t', { configs });
  return (version: number, result: PartitionFetchResult) => convertFetched(broker.context(version), WANTED, result);
}

describe('convertFetched', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
    [9, 2],
  ])('version %d has format %d', async (version, magic) => {
    const convert = await setUp();
    const region = new Region(testBatch(3));
    const converted = await convert(version, read(region));
    if (version >= 4) {
      expect([converted.records, region.released]).toEqual([region, 0]);
    } else {
      expect(batchHeader.magic(converted.records as Buffer)).toBe(magic);
      expect(converted.sizeInBytes).toBe(converted.records?.length);
      expect([converted.highWatermark, region.released]).toEqual([9, 1]);
    }
  });

  it('converts also where the partition has gone since it was read', async () => {
    const { context } = await startDataBroker();
    const { records } = await convertFetched(context(1), WANTED, read(testBatch(3)));
    expect(batchHeader.magic(records as Buffer)).toBe(0);
  });

  it('counts the messages that it converts', async () => {
    const broker = await startDataBroker();
    await broker.createTopic('t', {});
    const records = Buffer.concat([testBatch(3), testBatch(2, { codec: Codec.gzip })]);
    await convertFetched(broker.context(3), WANTED, read(records));
    await convertFetched(broker.context(4), WANTED, read(records));
    expect(broker.context(3).broker.replicaManager.traffic.all.fetchMessageConversions).toBe(5);
  });

  it('leaves errors and empty reads alone', async () => {
    const convert = await setUp();
    for (const result of [withoutData(NAME, ErrorCode.OFFSET_OUT_OF_RANGE), read(null)]) {
      expect(await convert(1, result)).toBe(result);
    }
  });

  it('refuses topics of codec zstd, and lets go of the region', async () => {
    const convert = await setUp({ 'compression.type': 'zstd' });
    const region = new Region(testBatch());
    expect(await convert(9, read(region))).toEqual(withoutData(NAME, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE));
    expect(region.released).toBe(1);
    // Whatever else is wrong, but for partitions that nobody knows.
    const outside = await convert(9, withoutData(NAME, ErrorCode.OFFSET_OUT_OF_RANGE));
    expect(outside).toEqual(withoutData(NAME, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE));
    const unknown = withoutData(NAME, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await convert(9, unknown)).toBe(unknown);
  });

  it('refuses to convert zstd batches', async () => {
    const convert = await setUp();
    expect(await convert(3, read(testBatch(1, { codec: Codec.zstd })))).toMatchObject({
      errorCode: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
      records: null,
    });
  });

  it('refuses where conversion is switched off', async () => {
    const convert = await setUp({ 'message.downconversion.enable': 'false' });
    expect(await convert(3, read(testBatch()))).toEqual(withoutData(NAME, ErrorCode.UNSUPPORTED_VERSION));
    expect((await convert(4, read(testBatch()))).errorCode).toBe(ErrorCode.NONE);
  });

  it.each(['read', 'end'] as const)('answers a storage error when the file fails: %s', async (fails) => {
    const convert = await setUp();
    const region = new Region(testBatch(), fails);
    expect(await convert(2, read(region))).toEqual(withoutData(NAME, ErrorCode.KAFKA_STORAGE_ERROR));
    expect(region.released).toBe(1);
  });
});
