/**
 * The lines of a dump, over small files in memory. That they are those of Kafka's own tool is checked against it in
 * `compat-tests/clients/java`; here are the forms, and what is said of damage.
 */
import {
  encodeOffsetCommitKey,
  encodeOffsetCommitValue,
  newOffsetCommitValue,
} from '../codec/generated/records/offset-commit';
import { encodeShareSnapshotKey } from '../codec/generated/records/share-snapshot';
import { encodeTopicRecord } from '../codec/generated/records/topic-record';
import { encodeTransactionLogValue, newTransactionLogValue } from '../codec/generated/records/transaction-log';
import { Writer } from '../codec/writer';
import { MemoryFileSystem } from '../log/memory-file-system';
import { ProducerEntry } from '../log/producer-entry';
import { encodeSnapshot } from '../log/producer-snapshot';
import { buildBatch } from '../records/batch-builder';
import { Codec } from '../records/compression';
import { buildEndTransactionMarker } from '../records/control-record';
import { convertDown } from '../records/down-conversion';
import { batchOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { type DumpOptions, dumpLog } from './dump-log';
import {
  BYTES_DECODER_NAMES,
  clusterMetadataDecoder,
  offsetsDecoder,
  plainDecoder,
  type RecordDecoder,
  shareGroupStateDecoder,
  transactionLogDecoder,
} from './record-decoders';

const NAME = '/t-0/00000000000000000000';
const plain = plainDecoder({ key: 'StringDecoder', value: 'StringDecoder' });

let disk: MemoryFileSystem;

beforeEach(() => {
  disk = new MemoryFileSystem(new ManualClock());
  disk.createDirectory('/t-0');
});

interface Dumped {
  readonly lines: string[];
  readonly problems: string[];
  readonly allRead: boolean;
}

async function dump(names: readonly string[], changes: Partial<DumpOptions> = {}): Promise<Dumped> {
  const lines: string[] = [];
  const problems: string[] = [];
  const allRead = await dumpLog(disk, names, {
    options: {
      decoder: undefined,
      deepIteration: changes.decoder !== undefined,
      skipRecordMetadata: false,
      maxBytes: Number.POSITIVE_INFINITY,
      verifyOnly: false,
      indexSanityOnly: false,
      ...changes,
    },
    output: {
      line: (text) => lines.push(text),
      problem: (text) => problems.push(text),
      drained: async () => undefined,
    },
  });
  return { lines, problems, allRead };
}

function writer(fill: (writer: Writer) => void): Buffer {
  const made = new Writer();
  fill(made);
  return made.finishBuffer();
}

async function contentsOf(decoder: RecordDecoder, key: Buffer | null, value: Buffer | null): Promise<string> {
  disk.writeFile(`${NAME}.log`, buildBatch({ records: [{ timestamp: 5, key, value }] }));
  const { lines } = await dump([`${NAME}.log`], { decoder, skipRecordMetadata: true });
  return lines.at(-1)!;
}

describe('a segment', () => {
  it('is a line a batch', async () => {
    const one = batchOf(['a', 'bb'], { producerId: 7, producerEpoch: 1, baseSequence: 3, partitionLeaderEpoch: 4 });
    const two = buildBatch({
      baseOffset: 2,
      codec: Codec.gzip,
      logAppendTimeMs: 99,
      records: [{ timestamp: 1, key: Buffer.from('k'), value: null, headers: [{ key: 'h', value: null }] }],
    });
    disk.writeFile(`${NAME}.log`, Buffer.concat([one, two]));
    const { lines, problems, allRead } = await dump([`${NAME}.log`]);
    expect(lines).toEqual([
      `Dumping ${NAME}.log`,
      'Log starting offset: 0',
      expect.stringMatching(
        new RegExp(
          '^baseOffset: 0 lastOffset: 1 count: 2 baseSequence: 3 lastSequence: 4 producerId: 7 producerEpoch: 1 ' +
            'partitionLeaderEpoch: 4 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty ' +
            'position: 0 CreateTime: 1001 size: 78 magic: 2 compresscodec: none crc: \\d+ isvalid: true$',
        ),
      ),
      expect.stringMatching(
        /^baseOffset: 2 .* position: 78 LogAppendTime: 99 size: \d+ magic: 2 compresscodec: gzip crc: \d+ isvalid: t/,
      ),
    ]);
    expect([problems, allRead]).toEqual([[], true]);

    const { lines: deep } = await dump([`${NAME}.log`], { decoder: plain });
    expect(deep.filter((line) => line.startsWith('|'))).toEqual([
      '| offset: 0 CreateTime: 1000 keySize: -1 valueSize: 1 sequence: 3 headerKeys: [] payload: a',
      '| offset: 1 CreateTime: 1001 keySize: -1 valueSize: 2 sequence: 4 headerKeys: [] payload: bb',
      '| offset: 2 LogAppendTime: 99 keySize: 1 valueSize: -1 sequence: -1 headerKeys: [h] key: k',
    ]);
    expect((await dump([`${NAME}.log`], { maxBytes: 100 })).lines).toHaveLength(3);
  });

  it('of an old format has its own line, and the records within compressed messages', async () => {
    const down = convertDown(batchOf(['x', 'y'], { codec: Codec.gzip, baseOffset: 5 }), { toMagic: 1, firstOffset: 0 });
    disk.writeFile(`${NAME}.log`, down.ok ? down.value : Buffer.alloc(0));
    const { lines, problems } = await dump([`${NAME}.log`], { decoder: plain });
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(
        /^offset: 6 position: 0 CreateTime: 1001 size: \d+ magic: 1 compresscodec: gzip crc: \d+ isvalid: true$/,
      ),
      expect.stringMatching(
        /^\| offset: 5 CreateTime: 1000 keySize: -1 valueSize: 1 isValid: true crc: \d+ payload: x$/,
      ),
      expect.stringMatching(
        /^\| offset: 6 CreateTime: 1001 keySize: -1 valueSize: 1 isValid: true crc: \d+ payload: y$/,
      ),
    ]);
    expect(problems).toEqual(['Non-consecutive offsets in /t-0/00000000000000000000.log', '  -1 is followed by 5']);
  });

  it('shows markers without contents', async () => {
    const marker = { producerId: 7, producerEpoch: 1, coordinatorEpoch: 12, timestampMs: 50 };
    disk.writeFile(`${NAME}.log`, buildEndTransactionMarker({ ...marker, isCommit: false }));
    const { lines } = await dump([`${NAME}.log`], { decoder: plain });
    expect(lines.at(-1)).toBe(
      '| offset: 0 CreateTime: 50 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] ' +
        'endTxnMarker: ABORT coordinatorEpoch: 12',
    );
  });

  it('that is damaged is shown up to the damage', async () => {
    const bad = batchOf(['b'], { baseOffset: 1 });
    bad[bad.length - 1] = bad[bad.length - 1]! ^ 1;
    const cut = batchOf(['c'], { baseOffset: 2 }).subarray(0, 20);
    disk.writeFile(`${NAME}.log`, Buffer.concat([batchOf(['a']), bad, cut]));
    const { lines } = await dump([`${NAME}.log`]);
    expect(lines.filter((line) => line.endsWith('isvalid: false'))).toHaveLength(1);
    expect(lines.at(-1)).toBe('Found 20 invalid bytes at the end of 00000000000000000000.log');
  });
});

describe('decoders', () => {
  it('know the offsets topic', async () => {
    const key = writer((to) => {
      to.int16(1);
      encodeOffsetCommitKey(to, { group: 'g', topic: 't', partition: 3 }, 0);
    });
    const value = writer((to) => {
      to.int16(3);
      encodeOffsetCommitValue(to, newOffsetCommitValue({ offset: 9, metadata: 'm', commitTimestamp: 8 }), 3);
    });
    expect(await contentsOf(offsetsDecoder(), key, value)).toBe(
      '| key: {"type":"1","data":{"group":"g","topic":"t","partition":3}} ' +
        'payload: {"version":"3","data":{"offset":9,"leaderEpoch":-1,"metadata":"m","commitTimestamp":8}}',
    );
    expect(await contentsOf(offsetsDecoder(), key, null)).toMatch(/ payload: <DELETE>$/);
    expect(await contentsOf(offsetsDecoder(), Buffer.from('0063', 'hex'), value)).toBe(
      '| key: Unknown record type 99 at offset 0, skipping.',
    );
    expect(await contentsOf(offsetsDecoder(), key.subarray(0, 4), value)).toMatch(
      /^\| key: Error at offset 0, skipping\. /,
    );
    expect(await contentsOf(offsetsDecoder(), null, value)).toMatch(/^\| key: Error at offset 0, skipping\. /);
  });

  it('know the states of transactions', async () => {
    const key = Buffer.concat([Buffer.from('00000002', 'hex'), Buffer.from('tx')]);
    const value = writer((to) => {
      to.int16(0);
      encodeTransactionLogValue(to, newTransactionLogValue({ transactionStatus: 4, transactionPartitions: null }), 0);
    });
    expect(await contentsOf(transactionLogDecoder(), key, value)).toMatch(
      /^\| key: {"type":"0","data":{"transactionalId":"tx"}} payload: .*"transactionStatus":"CompleteCommit"/,
    );
  });

  it('know the state of share groups', async () => {
    const key = writer((to) => {
      to.int16(0);
      encodeShareSnapshotKey(to, { groupId: 'g', topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', partition: 2 }, 0);
    });
    expect(await contentsOf(shareGroupStateDecoder(), key, null)).toBe(
      '| key: {"type":"0","data":{"groupId":"g","topicId":"AAAAAAAAAAAAAAAAAAAAAQ","partition":2}} payload: <DELETE>',
    );
  });

  it("know KRaft's metadata and plain numbers", async () => {
    const topicId = 'AAAAAAAAAAAAAAAAAAAAAQ';
    const value = writer((to) => {
      for (const number of [1, 2, 0]) to.uvarint(number);
      encodeTopicRecord(to, { name: 't', topicId }, 0);
    });
    expect(await contentsOf(clusterMetadataDecoder(), null, value)).toBe(
      `| payload: {"type":"TOPIC_RECORD","version":0,"data":{"name":"t","topicId":"${topicId}"}}`,
    );
    expect(await contentsOf(clusterMetadataDecoder(), null, Buffer.from([1, 99, 0]))).toBe(
      '| payload: Error at 0, skipping. Unknown metadata record type 99',
    );
    const numbers = plainDecoder({ key: 'IntegerDecoder', value: 'LongDecoder' });
    expect(await contentsOf(numbers, Buffer.from('fffffffe', 'hex'), Buffer.from('7fffffffffffffff', 'hex'))).toBe(
      '| key: -2 payload: 9223372036854775807',
    );
    expect(await contentsOf(numbers, Buffer.from('01', 'hex'), null)).toBe('| key: 1 bytes instead of 4: 01');
    expect(BYTES_DECODER_NAMES).toEqual(['StringDecoder', 'IntegerDecoder', 'LongDecoder', 'DefaultDecoder']);
    const bytes = plainDecoder({ key: 'DefaultDecoder', value: 'DefaultDecoder' });
    expect(await contentsOf(bytes, null, Buffer.from('00ff', 'hex'))).toBe('| payload: 00ff');
  });
});

describe('other files', () => {
  const ints = (...numbers: number[]): Buffer => {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, at) => void bytes.writeInt32BE(number, 4 * at));
    return bytes;
  };
  const time = (ms: number, offset: number): Buffer => ints(0, ms, offset);

  beforeEach(() => {
    const batches = [batchOf(['a', 'b']), batchOf(['c'], { baseOffset: 2, timestamp: 3000 })];
    disk.writeFile(`${NAME}.log`, Buffer.concat(batches));
  });

  it('offset indexes are compared with the segment, and end where zeros begin', async () => {
    disk.writeFile(`${NAME}.index`, ints(2, 77, 0, 0, 0, 0));
    expect(await dump([`${NAME}.index`])).toEqual({
      lines: [`Dumping ${NAME}.index`, 'offset: 2 position: 77'],
      problems: [],
      allRead: true,
    });
    disk.writeFile(`${NAME}.index`, ints(1, 77));
    expect(await dump([`${NAME}.index`], { verifyOnly: true })).toEqual({
      lines: [`Dumping ${NAME}.index`],
      problems: [`Mismatches in :${NAME}.index`, '  Index offset: 1, log offset: 2'],
      allRead: true,
    });
    disk.writeFile(`${NAME}.index`, ints(2, -77));
    expect(await dump([`${NAME}.index`])).toMatchObject({
      problems: [`Mismatches in :${NAME}.index`, '  Index offset: 2, log offset: -1'],
      allRead: true,
    });
    disk.writeFile(`${NAME}.index`, Buffer.alloc(0));
    expect((await dump([`${NAME}.index`])).lines.at(-1)).toBe(`${NAME}.index is empty.`);
  });

  it('time indexes are compared with the records', async () => {
    disk.writeFile(`${NAME}.index`, ints(2, 77));
    disk.writeFile(`${NAME}.timeindex`, Buffer.concat([time(1001, 1), time(3000, 2)]));
    const right = await dump([`${NAME}.timeindex`]);
    expect([right.lines.slice(1), right.problems]).toEqual([
      ['timestamp: 1001 offset: 1', 'timestamp: 3000 offset: 2'],
      [],
    ]);
    disk.writeFile(`${NAME}.timeindex`, Buffer.concat([time(4000, 1), time(3000, 2), time(5000, 3)]));
    expect((await dump([`${NAME}.timeindex`])).problems).toEqual([
      `Found timestamp mismatch in :${NAME}.timeindex`,
      '  Index timestamp: 4000, log timestamp: 1001',
      `Found out of order timestamp in :${NAME}.timeindex`,
      '  Index timestamp: 3000, Previously indexed timestamp: 4000',
      `The following indexed offsets are not found in :${NAME}.timeindex`,
      'Indexed offset: 3, found log offset: -1',
    ]);
    disk.writeFile(`${NAME}.timeindex`, Buffer.alloc(13));
    expect((await dump([`${NAME}.timeindex`], { indexSanityOnly: true })).problems).toEqual([
      `${NAME}.timeindex has 13 bytes, which is no multiple of 12`,
    ]);
  });

  it('aborted transactions, producers and leader epochs are a line each', async () => {
    const aborted = Buffer.from(`00000000000000000001${'0000000000000002'.repeat(3)}`, 'hex');
    disk.writeFile(`${NAME}.txnindex`, aborted);
    const producer = new ProducerEntry(4);
    producer.producerEpoch = 1;
    producer.transactionFirstOffset = 10;
    producer.batches.push({ lastSequence: 6, lastOffset: 11, offsetDelta: 1, timestampMs: 70 });
    producer.lastTimestampMs = 70;
    disk.writeFile(`${NAME}.snapshot`, encodeSnapshot([producer]));
    disk.writeFile('/t-0/leader-epoch-checkpoint', Buffer.from('0\n2\n0 0\n3 17\n'));
    const names = [`${NAME}.txnindex`, `${NAME}.snapshot`, '/t-0/leader-epoch-checkpoint'];
    const { lines } = await dump(names);
    expect(lines.filter((line) => !line.startsWith('Dumping'))).toEqual([
      'version: 0 producerId: 1 firstOffset: 2 lastOffset: 2 lastStableOffset: 2',
      'producerId: 4 producerEpoch: 1 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong[10] lastTimestamp: 70 ' +
        'firstSequence: 5 lastSequence: 6 lastOffset: 11 offsetDelta: 1 timestamp: 70',
      'epoch: 0 startOffset: 0',
      'epoch: 3 startOffset: 17',
    ]);
  });

  it('that are missing, damaged or of another kind are named, and the rest is dumped', async () => {
    disk.writeFile(`${NAME}.snapshot`, Buffer.alloc(20));
    disk.writeFile(`${NAME}.txnindex`, Buffer.alloc(35));
    const names = ['/t-0/none.log', `${NAME}.snapshot`, `${NAME}.txnindex`, '/t-0/other', `${NAME}.log`];
    const { problems, lines, allRead } = await dump(['/t-0/00000000000000000009.log', ...names]);
    expect(problems).toEqual([
      expect.stringContaining('Cannot read /t-0/00000000000000000009.log: ENOENT'),
      'Ignoring unknown file /t-0/none.log',
      expect.stringContaining('Snapshot is corrupt'),
      expect.stringContaining(`Cannot read ${NAME}.txnindex: `),
      'Ignoring unknown file /t-0/other',
    ]);
    expect(lines.at(-1)).toMatch(/^baseOffset: 2 /);
    expect(allRead).toBe(false);
  });
});
