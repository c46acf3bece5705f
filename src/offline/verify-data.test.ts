/**
 * A sound data directory has no findings; one in which a single file is changed has the one that names this file and
 * what is wrong with it. Directories that Kafka wrote are checked in `compat-tests/fixtures`.
 */
import { silentLogger } from '../base/logger';
import { EmbeddedControlStore } from '../cluster/embedded-control-store';
import { metadataPath } from '../cluster/stored-metadata';
import {
  CLUSTER_ID_PATH,
  createTopicNodes,
  deleteTopicNodes,
  encodeClusterId,
  PERSISTENT_PATHS,
  topicDeletionPath,
} from '../cluster/znodes';
import type { LogManager } from '../log/log-manager';
import { MemoryFileSystem } from '../log/memory-file-system';
import { writeMetaProperties } from '../log/meta-properties';
import { ProducerEntry } from '../log/producer-entry';
import { encodeSnapshot } from '../log/producer-snapshot';
import * as batchHeader from '../records/batch-header';
import { buildEndTransactionMarker } from '../records/control-record';
import { append, batchOf, logConfig, openLog, openLogs, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { type Finding, findingText } from './finding';
import { type VerifySummary, verifyData } from './verify-data';

const SEGMENT_BYTES = 2000;
/** Where the log begins after its first records were deleted. */
const LOG_START = 3;
const FIRST = '00000000000000000000';
const TOPIC = {
  name: 't',
  id: TOPIC_ID,
  isInternal: false,
  configs: new Map<string, string>(),
  partitions: [{ partition: 0, leader: 1, leaderEpoch: 0, partitionEpoch: 0, replicas: [1], isr: [1] }],
};

let disk: MemoryFileSystem;
let lastSegment: string;
let logEnd: number;

async function store(): Promise<EmbeddedControlStore> {
  const opened = await EmbeddedControlStore.open({ storage: disk, path: metadataPath('/data'), logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

function logs(): Promise<LogManager> {
  const config = { ...logConfig(), segmentBytes: SEGMENT_BYTES, indexIntervalBytes: 200 };
  return openLogs({ fileSystem: disk, topicConfig: () => config });
}

/** Three segments: plain, idempotent and transactional batches, an aborted transaction, an epoch that changes. */
async function fill(manager: LogManager): Promise<void> {
  const log = await openLog(manager);
  for (let at = 0; at < 30; at++) {
    const texts = [`${at} `.repeat(20), 'x'];
    const leaderEpoch = at < 15 ? 0 : 2;
    log.assignEpoch(leaderEpoch);
    const producer = at % 3 === 0 ? { producerId: 7, producerEpoch: 0, baseSequence: (at / 3) * 2 } : {};
    await append(log, batchOf(texts, { timestamp: 1000 + at * 10, ...producer }), { origin: 'client', leaderEpoch });
  }
  const aborted = { producerId: 9, producerEpoch: 0, baseSequence: 0, isTransactional: true, timestamp: 5000 };
  await append(log, batchOf(['aborted'], aborted), { origin: 'client', leaderEpoch: 2, isVerified: true });
  const marker = { producerId: 9, producerEpoch: 0, coordinatorEpoch: 1, isCommit: false, timestampMs: 6000 };
  await append(log, buildEndTransactionMarker(marker), { origin: 'coordinator', leaderEpoch: 2 });
  log.setHighWatermark(log.logEndOffset);
  await log.deleteRecordsBefore(LOG_START);
  logEnd = log.logEndOffset;
}

beforeEach(async () => {
  disk = new MemoryFileSystem(new ManualClock());
  disk.createDirectory('/data');
  const metadata = await store();
  const done = await metadata.multi([
    ...PERSISTENT_PATHS.map((path) => ({ kind: 'create' as const, path, data: '' })),
    { kind: 'create', path: CLUSTER_ID_PATH, data: encodeClusterId('cluster') },
    ...createTopicNodes(TOPIC, 1),
  ]);
  expect(done.ok).toBe(true);
  await metadata.close();
  await writeMetaProperties(disk, '/data', { version: 1, clusterId: 'cluster', brokerId: 1, directoryId: undefined });
  const manager = await logs();
  await fill(manager);
  await manager.close({ clean: true });
  const names = disk.list('/data/t-0').map(({ name }) => name);
  const segments = names.filter((name) => name.endsWith('.log')).sort();
  expect(segments.length).toBeGreaterThanOrEqual(3);
  lastSegment = segments.at(-1)!.slice(0, 20);
});

async function verify(directories = ['/data']): Promise<{ findings: Finding[]; summary: VerifySummary }> {
  const findings: Finding[] = [];
  const result = await verifyData({ fileSystem: disk, directories, onFinding: (finding) => findings.push(finding) });
  if (!result.ok) throw new Error(result.error);
  expect(result.value.problems > 0).toBe(findings.some(({ severity }) => severity === 'problem'));
  return { findings, summary: result.value };
}

/** The findings as lines, without the directory of the partition. */
async function lines(directories?: string[]): Promise<string[]> {
  const { findings } = await verify(directories);
  return findings.map((finding) => findingText(finding).replaceAll('/data/t-0/', ''));
}

function change(name: string, edit: (content: Buffer) => Buffer | undefined): void {
  const content = Buffer.from(disk.readFile(`/data/${name}`));
  disk.writeFile(`/data/${name}`, edit(content) ?? content);
}

function flip(name: string, at: number): void {
  change(name, (content) => {
    content[at] = content[at]! ^ 0x40;
    return content;
  });
}

/** Where the batches of a segment begin. */
function batches(segment: string): number[] {
  const content = disk.readFile(`/data/t-0/${segment}.log`);
  const positions: number[] = [];
  for (let at = 0; at < content.length; at += batchHeader.sizeInBytes(content, at)) positions.push(at);
  return positions;
}

function forgetCleanShutdown(): void {
  disk.remove('/data/.kafka_cleanshutdown');
}

it('finds nothing in a sound directory, and tells what it has seen', async () => {
  const { findings, summary } = await verify();
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ partitions: 1, problems: 0, notes: 0 });
  expect(summary.bytes).toBeGreaterThan(2 * SEGMENT_BYTES);
});

it('tells how far it is', async () => {
  const seen: number[] = [];
  await verifyData({
    fileSystem: disk,
    directories: ['/data'],
    onFinding: () => undefined,
    onProgress: ({ bytes, totalBytes, partition }) => {
      expect([bytes <= totalBytes, partition]).toEqual([true, 't-0']);
      seen.push(bytes);
    },
  });
  const { summary } = await verify();
  expect(seen.at(-1)).toBe(summary.bytes);
});

describe('segments', () => {
  it('a flipped bit is found by the checksum of its batch', async () => {
    const second = batches(FIRST)[1]!;
    flip(`t-0/${FIRST}.log`, second + 80);
    expect(await lines()).toEqual([
      expect.stringMatching(
        `^problem: ${FIRST}.log at byte ${second}: the batch of offsets 2 to 3: wrong checksum: .*; at start: nothing`,
      ),
    ]);
    forgetCleanShutdown();
    disk.remove('/data/recovery-point-offset-checkpoint');
    expect(await lines()).toContainEqual(
      expect.stringContaining('at start: the log is cut here and what follows is lost'),
    );
  });

  it('records that do not add up are found behind a right checksum', async () => {
    change(`t-0/${FIRST}.log`, (content) => {
      batchHeader.patchRecordCount(content, 0, 3);
      batchHeader.recomputeCrc(content, 0);
      return content;
    });
    expect(await lines()).toEqual([
      expect.stringContaining(`${FIRST}.log at byte 0: the batch of offsets 0 to 1: its records are malformed`),
    ]);
    change(`t-0/${FIRST}.log`, (content) => {
      batchHeader.patchRecordCount(content, 0, 2);
      batchHeader.patchLastOffsetDelta(content, 0, 0);
      batchHeader.recomputeCrc(content, 0);
      return content;
    });
    expect(await lines()).toContainEqual(expect.stringContaining('record 1 has offset delta 1, after 0, within 0'));
  });

  it('batches out of order and missing offsets are found', async () => {
    const [, second, third, fourth] = batches(FIRST);
    change(`t-0/${FIRST}.log`, (content) => {
      content.copy(content, second!, third!, fourth!);
      return content;
    });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`at byte ${second}: offsets 2 to 3 are missing, and the topic is not compacted`),
        expect.stringMatching(/offsets 4 to 5 comes after offset 5/),
      ]),
    );
  });

  it('a torn end and zeros behind it are cut off', async () => {
    const size = disk.readFile(`/data/t-0/${lastSegment}.log`).length;
    change(`t-0/${lastSegment}.log`, (content) => Buffer.concat([content, Buffer.alloc(30)]));
    expect(await lines()).toEqual([
      `problem: ${lastSegment}.log at byte ${size}: 30 bytes of zeros behind the last whole batch; ` +
        'at start: they are cut off',
    ]);
    change(`t-0/${lastSegment}.log`, (content) => content.subarray(0, content.length - 30 - 5));
    expect(await lines()).toContainEqual(
      expect.stringMatching(/bytes behind the last whole batch; at start: they are cut/),
    );
  });

  it('a segment that is gone is a gap', async () => {
    const middle = disk
      .list('/data/t-0')
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.log'))
      .sort()[1]!;
    disk.remove(`/data/t-0/${middle}`);
    const found = await lines();
    expect(found).toContainEqual(expect.stringContaining('before it are missing, and the topic is not compacted'));
    expect(found).toContainEqual(
      `problem: ${middle.replace('.log', '.index')}: an index without its segment; at start: removed`,
    );
  });

  it('a name that is no offset, leftovers and strangers are noted', async () => {
    for (const name of ['00000000000000000099.log.deleted', '5.log.cleaned', 'notes.txt'])
      disk.writeFile(`/data/t-0/${name}`, Buffer.alloc(1));
    disk.createDirectory('/data/t-0/inside');
    const { findings, summary } = await verify();
    expect(findings.map(({ file, atStart }) => [file, atStart])).toEqual([
      ['/data/t-0/inside', 'left alone'],
      ['/data/t-0/00000000000000000099.log.deleted', 'removed'],
      ['/data/t-0/5.log.cleaned', 'removed'],
      ['/data/t-0/notes.txt', 'left alone'],
    ]);
    expect(summary.problems).toBe(0);
  });
});

describe('indexes', () => {
  it('an offset index that points elsewhere', async () => {
    flip(`t-0/${FIRST}.index`, 7);
    expect(await lines()).toEqual([
      expect.stringMatching(
        `^problem: ${FIRST}.index at byte 0: entry 0: it points to byte \\d+, where no batch begins; at`,
      ),
    ]);
    flip(`t-0/${FIRST}.index`, 7);
    flip(`t-0/${FIRST}.index`, 3);
    expect(await lines()).toEqual([
      expect.stringMatching(/entry 0: it says offset \d+, and the batch there ends at \d+/),
    ]);
  });

  it('one that is missing, cut or full of zeros', async () => {
    change(`t-0/${FIRST}.index`, (content) => content.subarray(0, content.length - 3));
    expect(await lines()).toEqual([
      expect.stringContaining('bytes are no whole entries of 8; at start: the indexes are rebuilt'),
    ]);
    change(`t-0/${FIRST}.index`, (content) => Buffer.alloc(content.length + 3));
    expect(await lines()).toEqual([
      expect.stringMatching(/\d entries of nothing but zeros at its end; at start: the indexes are/),
    ]);
    disk.remove(`/data/t-0/${FIRST}.index`);
    expect(await lines()).toEqual([`problem: ${FIRST}.index: is missing; at start: the indexes are rebuilt`]);
  });

  it('a time index that says other times', async () => {
    flip(`t-0/${FIRST}.timeindex`, 7);
    expect(await lines()).toContainEqual(
      expect.stringMatching(
        /timeindex at byte 0: entry 0: it says \d+ for the largest time up to offset \d+, which is \d+/,
      ),
    );
    flip(`t-0/${FIRST}.timeindex`, 7);
    const { length } = disk.readFile(`/data/t-0/${FIRST}.timeindex`);
    const missed: number[] = [];
    for (let bit = 0; bit < 8 * length; bit += 7) {
      const flipBit = (): void =>
        change(`t-0/${FIRST}.timeindex`, (content) => {
          content[bit >> 3] = content[bit >> 3]! ^ (1 << (bit & 7));
          return content;
        });
      flipBit();
      if ((await verify()).findings.length === 0) missed.push(bit);
      flipBit();
    }
    expect(missed).toEqual([]);
    expect(length).toBeGreaterThan(24);
    change(`t-0/${lastSegment}.timeindex`, (content) => content.subarray(0, content.length - 12));
    expect(await lines()).toEqual([
      expect.stringContaining('timeindex: it does not know the largest time of the segment, 6000; at start: nothing'),
    ]);
  });

  it('a transaction index that lacks an aborted transaction or has another', async () => {
    const name = `t-0/${lastSegment}.txnindex`;
    const content = disk.readFile(`/data/${name}`);
    disk.remove(`/data/${name}`);
    expect(await lines()).toEqual([
      expect.stringMatching(/txnindex: it lacks the aborted transaction of producer 9 from offset 60 to 61/),
    ]);
    const other = Buffer.from(content);
    other.writeInt8(8, 9);
    disk.writeFile(`/data/${name}`, Buffer.concat([content, other, Buffer.alloc(5)]));
    expect(await lines()).toEqual([
      expect.stringContaining('no whole entry'),
      expect.stringContaining('producer 8 aborted no transaction from offset 60 to 61'),
    ]);
    content.writeInt8(65, 33);
    disk.writeFile(`/data/${name}`, content);
    expect(await lines()).toEqual([
      expect.stringContaining(
        'it says 65 for the last stable offset after offset 61, and it was 62; at start: nothing',
      ),
    ]);
  });

  it('damage that a start mends in any case is only noted', async () => {
    forgetCleanShutdown();
    disk.remove('/data/recovery-point-offset-checkpoint');
    disk.remove(`/data/t-0/${FIRST}.index`);
    const { findings } = await verify();
    expect(findings.map(({ severity, what }) => [severity, what])).toEqual([
      ['note', 'the broker was not stopped cleanly, or is running'],
      ['note', 'is missing'],
    ]);
  });
});

describe('what lies beside the segments', () => {
  const snapshotName = (): string => `t-0/${String(logEnd).padStart(20, '0')}.snapshot`;

  it('a producer snapshot that is damaged, or says what the log does not', async () => {
    flip(snapshotName(), 12);
    expect(await lines()).toEqual([expect.stringMatching(/snapshot: cannot be read: damaged; at start: removed if/)]);
    const producer = new ProducerEntry(7);
    producer.producerEpoch = 0;
    producer.batches.push({ lastSequence: 40, lastOffset: 55, offsetDelta: 1, timestampMs: 1 });
    disk.writeFile(`/data/${snapshotName()}`, encodeSnapshot([producer]));
    expect(await lines()).toEqual([
      expect.stringContaining('producer 7 ends with sequence 40 at offset 55, and by the log with 19 at 55'),
    ]);
    disk.writeFile('/data/t-0/00000000000000000099.snapshot', encodeSnapshot([]));
    expect(await lines()).toContainEqual(
      'problem: 00000000000000000099.snapshot: it is of offset 99, and the log ends at 62; at start: removed',
    );
  });

  it('leader epochs that are damaged, out of order, or not those of the batches', async () => {
    disk.writeFile('/data/t-0/leader-epoch-checkpoint', Buffer.from('0\n3\n0 3\n'));
    expect(await lines()).toEqual([
      expect.stringMatching(/^problem: leader-epoch-checkpoint: cannot be read: damaged/),
    ]);
    disk.writeFile('/data/t-0/leader-epoch-checkpoint', Buffer.from('0\n2\n0 3\n1 30\n'));
    const found = await lines();
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('leader epoch 2 from offset 30 on, and leader-epoch-checkpoint says 1');
    disk.writeFile('/data/t-0/leader-epoch-checkpoint', Buffer.from('0\n3\n0 3\n2 30\n1 99\n'));
    expect(await lines()).toEqual([
      expect.stringContaining('epoch 1 from offset 99 comes after 2 from 30'),
      expect.stringContaining('epoch 1 begins at offset 99, beyond the end of the log, 62'),
    ]);
  });

  it('checkpoints that are damaged or beyond the end', async () => {
    const names = ['recovery-point', 'log-start', 'replication', 'cleaner'].map((name) => `${name}-offset-checkpoint`);
    for (const name of names) disk.writeFile(`/data/${name}`, Buffer.from('0\n1\nt 0 99\n'));
    const found = await lines();
    expect(found).toHaveLength(4);
    for (const [at, name] of names.entries())
      expect(found[at]).toContain(
        `/data/t-0/../${name}: t-0 at offset 99, beyond the end of the log, 62`.replace('t-0/../', ''),
      );
    for (const name of names) disk.writeFile(`/data/${name}`, Buffer.from('1\n'));
    expect((await lines()).filter((line) => line.includes('cannot be read: damaged'))).toHaveLength(4);
  });
});

describe('the whole', () => {
  it('a topic id that is another, and a partition that no topic has', async () => {
    disk.writeFile('/data/t-0/partition.metadata', Buffer.from('version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n'));
    expect(await lines()).toEqual([
      expect.stringMatching(/^problem: partition.metadata: the topic id is A{21}Q, and \S+ by .*; at start: set aside/),
    ]);
    disk.writeFile('/data/t-0/partition.metadata', Buffer.from('nonsense'));
    expect(await lines()).toEqual([expect.stringContaining('has no topic id that can be read')]);
    disk.remove('/data/t-0/partition.metadata');
    disk.createDirectory('/data/u-0');
    expect((await lines()).filter((line) => line.startsWith('problem'))).toEqual([
      expect.stringMatching(
        /u-0\/partition.metadata: \/data\/odradek-metadata.journal knows no topic u; at start: set aside/,
      ),
    ]);
  });

  it('a partition that is missing, one that is there twice, and one whose topic is being deleted', async () => {
    disk.createDirectory('/more');
    await writeMetaProperties(disk, '/more', { version: 1, clusterId: 'cluster', brokerId: 1, directoryId: undefined });
    disk.createDirectory('/more/t-0');
    const twice = await lines(['/data', '/more']);
    expect(twice).toContainEqual(
      'problem: /more/t-0: the partition is in /data/t-0, too; at start: the broker does not start',
    );
    await disk.removeDirectory('/more/t-0');
    await disk.removeDirectory('/data/t-0');
    expect(await lines(['/data', '/more'])).toEqual([
      expect.stringContaining('/data/t-0: /data/odradek-metadata.journal knows the partition, and it is in no'),
    ]);
    const metadata = await store();
    await metadata.multi([{ kind: 'create', path: topicDeletionPath('t'), data: '' }]);
    await metadata.close();
    expect(await lines()).toEqual([]);
    disk.createDirectory('/data/t-0');
    expect(await lines()).toContainEqual(
      expect.stringMatching(/^note: .* topic t is being deleted; at start: removed$/),
    );
  });

  it('metadata that cannot be read or have a torn end', async () => {
    const path = '/data/odradek-metadata.journal';
    const whole = disk.readFile(path);
    const end = whole.indexOf(0x0a) + 1;
    disk.writeFile(path, Buffer.concat([whole.subarray(0, end), Buffer.from('torn')]));
    expect(await lines()).toEqual([
      `note: ${path}: 4 bytes of a line that was never acknowledged at its end; at start: wiped out`,
    ]);
    const metadata = await store();
    await metadata.multi(deleteTopicNodes(TOPIC).slice(0, -1));
    await metadata.close();
    flip('odradek-metadata.journal', 30);
    expect(await lines()).toContainEqual(
      expect.stringMatching(
        /^problem: \/data: \/data\/odradek-metadata.journal is damaged .*; at start: the broker does not/,
      ),
    );
  });

  it('an identity that is missing, damaged or of somebody else', async () => {
    disk.remove('/data/meta.properties');
    expect(await lines()).toEqual([
      expect.stringMatching(/^problem: \/data\/meta.properties: is missing; at start: made anew/),
    ]);
    disk.writeFile('/data/meta.properties', Buffer.from('version=1\nnode.id=x\ncluster.id=c\n'));
    expect(await lines()).toEqual([expect.stringContaining('at start: the broker does not start')]);
    disk.writeFile('/data/meta.properties', Buffer.from('version=1\nnode.id=1\ncluster.id=other\n'));
    expect(await lines()).toEqual([expect.stringContaining('cluster.id is other, and elsewhere cluster')]);
  });

  it('strangers, and directories that wait for their removal', async () => {
    for (const name of ['t-0.0123-delete', 'u-0.0123-stray', 'no partition']) disk.createDirectory(`/data/${name}`);
    disk.writeFile('/data/core', Buffer.alloc(1));
    const { findings, summary } = await verify();
    expect(findings.map(({ file }) => file)).toEqual([
      '/data/core',
      '/data/no partition',
      '/data/t-0.0123-delete',
      '/data/u-0.0123-stray',
    ]);
    expect(summary).toMatchObject({ problems: 0, notes: 4, skipped: 3 });
  });

  it('copies on their way here, but for the segment that is copied anew', async () => {
    const copy = '/data/t-0.0123-future';
    disk.createDirectory(copy);
    for (const { name } of disk.list('/data/t-0'))
      if (name !== 'leader-epoch-checkpoint') disk.writeFile(`${copy}/${name}`, disk.readFile(`/data/t-0/${name}`));
    const newest = `${copy}/${lastSegment}.log`;
    disk.writeFile(newest, disk.readFile(newest).subarray(0, -5));
    const { findings, summary } = await verify();
    expect(findings.map(findingText)).toEqual([
      `note: ${copy}: a copy on its way here; its newest segment is not looked into; at start: copied on, ` +
        'that segment anew',
    ]);
    expect(summary).toMatchObject({ partitions: 1, copies: 1, problems: 0 });
    flip(`t-0.0123-future/${FIRST}.log`, 100);
    expect(await lines()).toContainEqual(
      expect.stringMatching(/^problem: .*-future\/0+.log at byte 0.*wrong checksum/),
    );
    flip(`t-0.0123-future/${FIRST}.log`, 100);
    // The copy that a start takes for the log is looked into as a whole.
    disk.rename('/data/t-0', '/data/t-0.0123-delete');
    const { findings: alone } = await verify();
    expect(alone).toContainEqual(expect.objectContaining({ file: newest, severity: 'problem' }));
  });

  it('that an fsync failed', async () => {
    disk.writeFile('/data/t-0/failed-sync', Buffer.from('recovery-point 0\n'));
    expect(await lines()).toEqual([
      'note: failed-sync: an fsync of the log failed; at start: what was not known to be durable is scanned and ' +
        'written anew',
    ]);
  });

  it('shows the first findings of a file and counts the others', async () => {
    change(`t-0/${FIRST}.index`, () => Buffer.from('ff'.repeat(8 * 50), 'hex'));
    const { findings, summary } = await verify();
    expect(findings.at(-1)?.what).toMatch(/^and \d+ more findings in this file$/);
    expect([findings.length, summary.problems > 40]).toEqual([21, true]);
  });

  it('refuses what is no data directory', async () => {
    disk.createDirectory('/empty/dbus-1');
    const refusal = async (path: string): Promise<string | undefined> => {
      const result = await verifyData({ fileSystem: disk, directories: [path], onFinding: () => undefined });
      return result.ok ? undefined : result.error;
    };
    expect(await refusal('/none')).toBe('/none does not exist');
    expect(await refusal('/empty')).toBe('/empty is no data directory: it has neither meta.properties nor partitions');
    expect(await refusal('/data/t-0')).toBe(
      '/data/t-0 is the directory of a partition: name the data directory around it',
    );
    expect(await refusal('/data/meta.properties')).toMatch(/ is no directory: name data directories/);
  });
});
