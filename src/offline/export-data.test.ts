/**
 * What an export writes, read back by the reader of Kafka's own metadata. That Kafka starts on it is shown in
 * `compat-tests/export`.
 */
import { silentLogger } from '../base/logger';
import { EmbeddedControlStore } from '../cluster/embedded-control-store';
import { metadataPath } from '../cluster/stored-metadata';
import {
  createTopicNodes,
  encodeConfigs,
  encodeProducerIdBlock,
  PERSISTENT_PATHS,
  PRODUCER_ID_BLOCK_PATH,
  topicDeletionPath,
} from '../cluster/znodes';
import { FORMER_DEFAULT_PREFIX } from '../config/topic-config';
import { readKraftMetadata } from '../log/kraft-metadata';
import { MemoryFileSystem } from '../log/memory-file-system';
import { readMetaProperties, writeMetaProperties } from '../log/meta-properties';
import { batchOf, seededRandom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { type ExportSummary, exportData } from './export-data';

const ID = 'Zm9vYmFyYmF6cXV4cXV1eA';
const FIRST_LOG = 't-0/00000000000000000000.log';
const PARTITION = { leader: 1, partitionEpoch: 3, replicas: [1], isr: [1] };

function topic(name: string, configs: Record<string, string> = {}) {
  return {
    name,
    id: name === 't' ? ID : Buffer.from(name.padEnd(16).slice(0, 16)).toString('base64url'),
    isInternal: name.startsWith('__'),
    configs: new Map(Object.entries(configs)),
    partitions: [0, 1].map((partition) => ({ ...PARTITION, partition, leaderEpoch: 5 + partition })),
  };
}

let disk: MemoryFileSystem;
const realPath = (path: string): string => (path === '/data/t-0' ? '/other/t-0' : path);

beforeEach(async () => {
  disk = new MemoryFileSystem(new ManualClock());
  const opened = await EmbeddedControlStore.open({ storage: disk, path: metadataPath('/data'), logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  const former = { [`${FORMER_DEFAULT_PREFIX}retention.ms`]: '-1', [`${FORMER_DEFAULT_PREFIX}segment.ms`]: '7' };
  const done = await opened.value.multi([
    ...PERSISTENT_PATHS.map((path) => ({ kind: 'create' as const, path, data: '' })),
    { kind: 'create', path: PRODUCER_ID_BLOCK_PATH, data: encodeProducerIdBlock({ brokerId: 1, first: 0, last: 999 }) },
    { kind: 'create', path: '/config/brokers/<default>', data: encodeConfigs(new Map([['log.roll.ms', '9']])) },
    ...createTopicNodes(topic('t', { 'cleanup.policy': 'compact', 'message.format.version': '2.8' }), 1),
    ...createTopicNodes(topic('adopted', { 'segment.ms': '8', ...former }), 1),
    ...createTopicNodes(topic('__consumer_offsets', former), 1),
    ...createTopicNodes(topic('deleted'), 1),
    { kind: 'create', path: topicDeletionPath('deleted'), data: '' },
  ]);
  expect(done.ok).toBe(true);
  await opened.value.close();
  await writeMetaProperties(disk, '/data', { version: 1, clusterId: 'c', brokerId: 7, directoryId: ID });
  disk.createDirectory('/data/t-0');
  disk.createDirectory('/data/deleted-0');
  disk.createDirectory('/data/t-9.0123-stray');
  disk.writeFile(`/data/${FIRST_LOG}`, batchOf(['a'.repeat(3_000_000), 'b']));
  disk.writeFile('/data/.kafka_cleanshutdown', Buffer.from('{}'));
  disk.writeFile('/data/.lock', Buffer.alloc(0));
});

function attempt(target: string | undefined, directories: string[]): ReturnType<typeof exportData> {
  return exportData({
    fileSystem: disk,
    random: seededRandom(1),
    clock: new ManualClock(),
    directories,
    target,
    realPath,
  });
}

async function run(target: string | undefined, directories = ['/data']): Promise<ExportSummary> {
  const exported = await attempt(target, directories);
  if (!exported.ok) throw new Error(exported.error);
  return exported.value;
}

async function refusal(target: string | undefined, directories = ['/data']): Promise<string> {
  const exported = await attempt(target, directories);
  return exported.ok ? '' : exported.error;
}

const names = (path: string): string[] =>
  disk
    .list(path)
    .map(({ name }) => name)
    .sort();

it('a copy has what Kafka needs, and the source stays as it is', async () => {
  const before = names('/data');
  const summary = await run('/copy');
  expect(names('/data')).toEqual(before);
  expect(names('/copy')).toEqual(['.kafka_cleanshutdown', '__cluster_metadata-0', 'meta.properties', 't-0']);
  expect(disk.readFile(`/copy/${FIRST_LOG}`).equals(disk.readFile(`/data/${FIRST_LOG}`))).toBe(true);
  expect(summary).toMatchObject({ topics: 3, partitions: 6, clusterId: 'c', brokerId: 7, directories: ['/copy'] });
  const meta = readMetaProperties(disk, '/copy');
  // The copy is another directory.
  expect(meta).toMatchObject({
    value: { version: 1, clusterId: 'c', brokerId: 7, directoryId: expect.not.stringMatching(ID) },
  });
});

it('the metadata know topics by their ids, settings and producer ids', async () => {
  const { remarks } = await run('/copy');
  const [name] = names('/copy/__cluster_metadata-0');
  expect(name).toMatch(/^\d{17}0\d\d-0000000001\.checkpoint$/);
  const metadata = readKraftMetadata(disk, '/copy/__cluster_metadata-0');
  expect(metadata.topics.map((one) => ({ ...one, configs: Object.fromEntries(one.configs) }))).toEqual([
    { name: '__consumer_offsets', id: expect.any(String), leaderEpochs: [5, 6], configs: {} },
    {
      name: 'adopted',
      id: expect.any(String),
      leaderEpochs: [5, 6],
      configs: { 'segment.ms': '8', 'retention.ms': '-1' },
    },
    { name: 't', id: ID, leaderEpochs: [5, 6], configs: { 'cleanup.policy': 'compact' } },
  ]);
  expect(metadata.nextProducerId).toBe(1000);
  expect(metadata.brokerConfigs).toEqual(new Map([['', new Map([['log.roll.ms', '9']])]]));
  expect(remarks).toEqual([
    'topic t loses settings that Kafka 4 does not have: message.format.version',
    'defaults of a former broker become settings of topics: adopted (retention.ms=-1)',
  ]);
});

it('in place, the directories change hands, with every partition in its own', async () => {
  disk.createDirectory('/more/t-1');
  await writeMetaProperties(disk, '/more', { version: 1, clusterId: 'c', brokerId: 7, directoryId: undefined });
  disk.createDirectory('/data/__cluster_metadata-0');
  disk.writeFile('/data/__cluster_metadata-0/00000000000000000000.log', Buffer.alloc(3));
  const { remarks } = await run(undefined, ['/data', '/more']);
  expect(remarks).toContain('no topic has these partitions, Kafka sets them aside: deleted-0');
  expect(names('/data').filter((name) => name.startsWith('odradek'))).toEqual(['odradek-metadata.journal.former']);
  expect(names('/data/__cluster_metadata-0')).toEqual([
    '00000000000000000000.log.former',
    expect.stringMatching(/\.checkpoint$/),
  ]);
  const ids = ['/data', '/more'].map((path) => {
    const meta = readMetaProperties(disk, path);
    return meta.ok && meta.value ? String(meta.value.directoryId) : '';
  });
  expect(ids[0]).toBe(ID);
  const snapshot = disk.readFile(`/data/__cluster_metadata-0/${names('/data/__cluster_metadata-0')[1]}`);
  for (const id of ids) expect(snapshot.includes(Buffer.from(id, 'base64url'))).toBe(true);
});

it('refuses what cannot become a directory of Kafka, and changes nothing then', async () => {
  expect(await refusal('/data/inside')).toBe('/data/inside lies within the data directory /data');
  disk.createDirectory('/full/x');
  expect(await refusal('/')).toBe('/ holds the data directory /data');
  expect(await refusal('/other/t-0/copy')).toMatch(/lies within a partition of the data directory, \/data\/t-0$/);
  expect(await refusal('/database')).toBe('');
  expect(await refusal('/full')).toBe('/full is not empty');
  expect(await refusal('/copy', ['/data', '/full'])).toMatch(/\/full is no data directory of Odradek/);
  expect(await refusal('/copy', ['/none'])).toBe('/none is no directory');
  disk.createDirectory('/data/no partition');
  expect(await refusal(undefined)).toMatch(
    /Kafka does not start on directories other than partitions: move .*no partition/,
  );
  await disk.removeDirectory('/data/no partition');
  disk.rename('/data/odradek-metadata.journal', '/elsewhere');
  expect(await refusal(undefined)).toMatch(/odradek-metadata.journal is missing/);
  expect(names('/data')).not.toContain('__cluster_metadata-0');
});
