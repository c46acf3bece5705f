/** KRaft's metadata: as real brokers left them, and records of our own making. */
import { join, resolve } from 'node:path';
import { SHAPED_TOPICS, TOPICS } from '../../compat-tests/fixtures/contents';
import { systemClock } from '../base/clock';
import { StartFailure } from '../base/start-failure';
import { encodeClientQuotaRecord } from '../codec/generated/records/client-quota-record';
import { encodeConfigRecord, newConfigRecord } from '../codec/generated/records/config-record';
import {
  encodePartitionChangeRecord,
  newPartitionChangeRecord,
} from '../codec/generated/records/partition-change-record';
import { encodePartitionRecord, newPartitionRecord } from '../codec/generated/records/partition-record';
import { encodeProducerIdsRecord, newProducerIdsRecord } from '../codec/generated/records/producer-ids-record';
import { encodeRemoveTopicRecord } from '../codec/generated/records/remove-topic-record';
import { encodeTopicRecord } from '../codec/generated/records/topic-record';
import { Writer } from '../codec/writer';
import { buildBatch } from '../records/batch-builder';
import { readKraftMetadata } from './kraft-metadata';
import { MemoryFileSystem } from './memory-file-system';
import { nodeFileSystem } from './node-file-system';

const FIXTURES = resolve(__dirname, '..', '..', 'compat-tests', 'fixtures');
const ID = 'd0FMbrMsQh2FIuP1nlB85A';
const OTHER_ID = 'NHA1lWdSSyS3Hf43XZxrYA';

type Encoder<T> = (writer: Writer, message: T, version: number) => void;

/** The value of a metadata record. */
function framed<T>(kind: number, encode: Encoder<T>, message: T): Buffer {
  const writer = new Writer();
  writer.uvarint(1);
  writer.uvarint(kind);
  writer.uvarint(0);
  encode(writer, message, 0);
  return writer.finishBuffer();
}

const topic = (name: string, topicId = ID): Buffer => framed(2, encodeTopicRecord, { name, topicId });
const partition = (partitionId: number, leaderEpoch = 0, topicId = ID): Buffer =>
  framed(3, encodePartitionRecord, newPartitionRecord({ partitionId, topicId, leaderEpoch, leader: 1, replicas: [1] }));
const leads = (partitionId: number, leader: number): Buffer =>
  framed(5, encodePartitionChangeRecord, newPartitionChangeRecord({ partitionId, topicId: ID, leader }));
const config = (resourceName: string, name: string, value: string | null): Buffer =>
  framed(4, encodeConfigRecord, newConfigRecord({ resourceType: 2, resourceName, name, value }));
const quota = (entity: Record<string, string | null>, key: string, value: number | null): Buffer =>
  framed(14, encodeClientQuotaRecord, {
    entity: Object.entries(entity).map(([entityType, entityName]) => ({ entityType, entityName })),
    key,
    value: value ?? 0,
    remove: value === null,
  });
const removed = (topicId = ID): Buffer => framed(9, encodeRemoveTopicRecord, { topicId });
const producerIds = (nextProducerId: number): Buffer =>
  framed(15, encodeProducerIdsRecord, newProducerIdsRecord({ brokerId: 1, nextProducerId }));
const bare = (kind: number): Buffer => framed(kind, () => undefined, {});

describe('readKraftMetadata', () => {
  let fileSystem: MemoryFileSystem;

  beforeEach(() => {
    fileSystem = new MemoryFileSystem(systemClock);
    fileSystem.createDirectory('/metadata');
  });

  function batch(baseOffset: number, values: readonly Buffer[]): Buffer {
    return buildBatch({
      baseOffset,
      records: values.map((value) => ({ timestamp: 0, key: null, value, headers: [] })),
    });
  }

  function write(name: string, ...batches: readonly Buffer[]): void {
    fileSystem.writeFile(join('/metadata', name), Buffer.concat(batches));
  }

  const read = () => readKraftMetadata(fileSystem, '/metadata');

  it.each(['kafka-4.4.0', 'kafka-4.0.2'])('finds what %s left', (fixture) => {
    const metadata = readKraftMetadata(nodeFileSystem, join(FIXTURES, fixture, '__cluster_metadata-0'));
    const found = new Map(metadata.topics.map((one) => [one.name, one]));
    const made = [...TOPICS, ...SHAPED_TOPICS].map(({ name }) => name);
    expect([...found.keys()].sort()).toEqual([...made, '__consumer_offsets', '__transaction_state'].sort());
    for (const { name, configs } of TOPICS) expect(Object.fromEntries(found.get(name)!.configs)).toEqual(configs);
    expect(found.get('grown')).toMatchObject({ leaderEpochs: [1, 1] });
    expect(found.get('orders')).toMatchObject({ leaderEpochs: [1, 1, 1], id: expect.stringMatching(/^[\w-]{22}$/) });
    expect(found.get('__consumer_offsets')?.configs.get('cleanup.policy')).toBe('compact');
    expect(metadata.nextProducerId).toBe(1000);
    expect(metadata.brokerConfigs.get('')?.get('log.roll.ms')).toBe('86400000');
    expect(metadata.unread.size).toBe(0);
  });

  it('replays creation, growth, elections, settings and deletion', () => {
    write(
      '00000000000000000000.log',
      batch(0, [topic('a'), partition(0, 3), config('a', 'retention.ms', '1'), config('a', 'segment.ms', '2')]),
      batch(4, [partition(1), leads(0, -1), leads(0, 1), leads(1, -2), config('a', 'segment.ms', null)]),
      batch(9, [topic('b', OTHER_ID), partition(0, 0, OTHER_ID), config('b', 'retention.ms', '5'), removed(OTHER_ID)]),
      batch(13, [producerIds(2000), bare(18), bare(18), bare(27)]),
    );
    expect(read()).toEqual({
      topics: [{ name: 'a', id: ID, leaderEpochs: [5, 0], configs: new Map([['retention.ms', '1']]) }],
      nextProducerId: 2000,
      brokerConfigs: new Map(),
      quotas: [],
      unread: new Map([['ACLs', 2]]),
    });
  });

  it('replays quotas', () => {
    const values = [quota({ user: 'u', 'client-id': null }, 'producer_byte_rate', 5), quota({ ip: '::1' }, 'x', 1)];
    values.push(quota({ 'client-id': null, user: 'u' }, 'producer_byte_rate', 7), quota({ ip: '::1' }, 'x', null));
    write('00000000000000000000.log', batch(0, values));
    const entity = new Map(Object.entries({ user: 'u', 'client-id': null }));
    expect(read().quotas).toEqual([{ entity, values: new Map([['producer_byte_rate', 7]]) }]);
  });

  it('begins at the newest snapshot and replays the log behind it', () => {
    write('00000000000000000003-0000000001.checkpoint', batch(0, [topic('old')]));
    write('00000000000000000005-0000000002.checkpoint', batch(0, [topic('a'), partition(0, 7)]));
    write('00000000000000000000.log', batch(0, [topic('gone', OTHER_ID)]));
    write('00000000000000000004.log', batch(4, [removed(OTHER_ID), leads(0, 1)]), batch(6, [leads(0, 1)]));
    expect(read().topics).toEqual([{ name: 'a', id: ID, configs: new Map(), leaderEpochs: [9] }]);
  });

  it('counts a transaction with its end only', () => {
    const parts = [topic('a'), partition(0), bare(23), config('a', 'retention.ms', '1'), bare(25), bare(23)];
    const open = [...parts, config('a', 'segment.ms', '2')];
    write('00000000000000000000.log', batch(0, open));
    expect(read().topics[0]?.configs.size).toBe(0);
    write('00000000000000000000.log', batch(0, open), batch(7, [bare(24)]));
    expect([...read().topics[0]!.configs]).toEqual([['segment.ms', '2']]);
  });

  it('passes over a torn tail at every length, and over nothing else', () => {
    const whole = batch(0, [topic('a'), partition(0)]);
    const tail = batch(2, [leads(0, 1)]);
    for (let length = 0; length < tail.length; length++) {
      write('00000000000000000000.log', whole, tail.subarray(0, length));
      expect(read().topics[0]?.leaderEpochs).toEqual([0]);
    }
    write('00000000000000000000.log', whole, tail.subarray(0, 20));
    write('00000000000000000003.log', batch(3, [leads(0, 1)]));
    expect(read).toThrow(StartFailure);
  });

  it('refuses metadata that it does not understand', () => {
    write('00000000000000000000.log', batch(0, [partition(0)]));
    expect(read).toThrow(`are not understood: no topic has the id ${ID}`);
    write('00000000000000000000.log', batch(0, [Buffer.from([2, 2, 0])]));
    expect(read).toThrow('frame version 2');
    write('00000000000000000003-0000000001.checkpoint', batch(0, [topic('a')]).subarray(0, 70));
    expect(read).toThrow('are damaged');
  });
});
