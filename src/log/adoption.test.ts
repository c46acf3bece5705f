/** Directories that other brokers wrote: real ones of Kafka 4, made-up ones of the ZooKeeper era. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SHAPED_TOPICS, TOPICS } from '../../compat-tests/fixtures/contents';
import { systemClock } from '../base/clock';
import { systemRandom } from '../base/random';
import { BrokerConfig } from '../config/broker-config';
import { topicLogConfig } from '../config/topic-config';
import { RecordingLogger } from '../testing/recording-logger';
import { type AdoptedTopic, adoptedMetadata } from './adoption';
import { MemoryFileSystem } from './memory-file-system';
import { nodeFileSystem } from './node-file-system';
import { ProducerEntry } from './producer-entry';
import { encodeSnapshot } from './producer-snapshot';

const FIXTURES = resolve(__dirname, '..', '..', 'compat-tests', 'fixtures');
const CONFIG = BrokerConfig.of();

let logger: RecordingLogger;

beforeEach(() => {
  logger = new RecordingLogger();
});

function adopt(fileSystem: Parameters<typeof adoptedMetadata>[0]['fileSystem'], ...paths: string[]) {
  return adoptedMetadata({ fileSystem, paths, config: CONFIG, brokerId: 1, random: systemRandom, logger });
}

describe.each(['kafka-4.4.0', 'kafka-4.0.2'])('adoptedMetadata of what %s left', (fixture) => {
  let directory: string;
  let topics: ReadonlyMap<string, AdoptedTopic>;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'odradek-adoption-'));
    cpSync(join(FIXTURES, fixture), directory, { recursive: true });
    const adopted = adopt(nodeFileSystem, directory);
    topics = new Map(adopted?.topics.map((topic) => [topic.name, topic]));
    expect(adopted?.nextProducerId).toBe(1000);
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('gives all topics with their settings', () => {
    const made = [...TOPICS, ...SHAPED_TOPICS].map(({ name }) => name);
    expect([...topics.keys()].sort()).toEqual([...made, '__consumer_offsets', '__transaction_state'].sort());
    for (const { name, configs } of TOPICS)
      expect(Object.fromEntries(topics.get(name)!.configs)).toMatchObject(configs);
  });

  it('limits nothing that was not limited there', () => {
    const logConfig = (name: string) => topicLogConfig(CONFIG, topics.get(name)!.configs);
    expect(logConfig('orders')).toMatchObject({ retentionMs: -1, retentionBytes: -1, cleanupCompact: false });
    expect(logConfig('limited')).toMatchObject({ retentionMs: 99999999999999 });
    expect(logConfig('table')).toMatchObject({ cleanupCompact: true, cleanupDelete: false, segmentBytes: 2000000 });
    // Set at run time for the whole cluster.
    expect(logConfig('orders').segmentMs).toBe(86400000);
  });

  it('says what it does', () => {
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'settings made at run time at the former broker count for its topics only',
      'adopted topics without a retention of their own keep everything until one is set',
      'adopted topics are not compacted until a lag is set',
      'adopting the data directory of another broker',
    ]);
  });

  it('does not say that all is kept where a setting of this broker limits it', () => {
    logger.lines.length = 0;
    const config = BrokerConfig.of({ 'log.retention.hours': '168', 'log.cleaner.min.compaction.lag.ms': '0' });
    adoptedMetadata({
      fileSystem: nodeFileSystem,
      paths: [directory],
      config,
      brokerId: 1,
      random: systemRandom,
      logger,
    });
    expect(logger.of('warn').map(({ message }) => message)).toEqual([
      'settings made at run time at the former broker count for its topics only',
    ]);
  });

  it('tells of data without a topic, and of topics without data', () => {
    cpSync(join(directory, 'orders-0'), join(directory, 'stranger-0'), { recursive: true });
    rmSync(join(directory, 'orders-1'), { recursive: true });
    logger.lines.length = 0;
    adopt(nodeFileSystem, directory);
    expect(logger.of('warn').slice(-2)).toMatchObject([
      { message: 'partitions of adopted topics have no data here', fields: { partitions: ['orders-1'] } },
      {
        message: 'directories of topics that the metadata do not know are left alone',
        fields: { directories: ['stranger-0'] },
      },
    ]);
  });
});

describe('adoptedMetadata without metadata', () => {
  const ID = 'd0FMbrMsQh2FIuP1nlB85A';
  let fileSystem: MemoryFileSystem;

  beforeEach(() => {
    fileSystem = new MemoryFileSystem(systemClock);
    fileSystem.createDirectory('/data');
  });

  function write(path: string, content: string | Buffer): void {
    fileSystem.createDirectory(join('/data', path, '..'));
    fileSystem.writeFile(join('/data', path), Buffer.from(content));
  }

  it('is undefined for a new directory', () => {
    write('meta.properties', 'version=1\n');
    expect(adopt(fileSystem, '/data')).toBeUndefined();
  });

  it('finds topics by the names of directories', () => {
    write('with-dash-0/partition.metadata', `version: 0\ntopic_id: ${ID}`);
    write('with-dash-2/leader-epoch-checkpoint', '0\n2\n0 0\n7 100\n');
    write('old-0/00000000000000000000.log', '');
    write('gone-0.0123456789abcdef0123456789abcdef-delete/00000000000000000000.log', '');
    write('__consumer_offsets-0/00000000000000000000.log', '');
    const adopted = adopt(fileSystem, '/data');
    const topics = new Map(adopted?.topics.map((topic) => [topic.name, topic]));
    expect([...topics.keys()].sort()).toEqual(['__consumer_offsets', 'old', 'with-dash']);
    expect(topics.get('with-dash')).toMatchObject({ id: ID, leaderEpochs: [0, 0, 7] });
    expect(topics.get('old')).toMatchObject({ id: expect.stringMatching(/^[\w-]{22}$/), leaderEpochs: [0] });
    expect(topicLogConfig(CONFIG, topics.get('old')!.configs)).toMatchObject({
      retentionMs: -1,
      retentionBytes: -1,
      cleanupCompact: false,
    });
    expect(topicLogConfig(CONFIG, topics.get('__consumer_offsets')!.configs).cleanupCompact).toBe(true);
    expect(logger.of('warn')).toMatchObject([
      { message: expect.stringContaining('has lost its settings'), fields: { topic: 'with-dash' } },
      { message: expect.stringContaining('has lost its settings'), fields: { topic: 'old' } },
      { fields: { partitions: ['with-dash-1'] } },
    ]);
  });

  it('gives no producer id that the partitions have seen', () => {
    write('a-0/00000000000000000005.snapshot', encodeSnapshot([new ProducerEntry(41), new ProducerEntry(12)]));
    write('a-0/00000000000000000009.snapshot', 'damaged');
    expect(adopt(fileSystem, '/data')?.nextProducerId).toBeGreaterThan(41);
  });

  it('looks into every data directory', () => {
    write('one/a-0/x', '');
    write('two/a-1/x', '');
    expect(adopt(fileSystem, '/data/one', '/data/two')?.topics).toMatchObject([{ name: 'a', leaderEpochs: [0, 0] }]);
  });
});
