/**
 * Finds out what a data directory that another broker wrote holds, when this broker starts on it for the first time:
 * with KRaft's metadata, topics, ids, settings and producer ids as they were; without (ZooKeeper kept them
 * elsewhere), topics by the names of the directories. Reads only; the cluster layer writes what was found into its
 * store, once. Nothing may be lost by it: topics without a limit of their own keep everything (former-defaults.ts),
 * directories that the metadata do not know are left alone.
 */
import { join, resolve } from 'node:path';
import type { Logger } from '../base/logger';
import { type Random, randomUuid, ZERO_UUID } from '../base/random';
import { parsePartitionKey, partitionKey } from '../base/topic-partition';
import type { BrokerConfig } from '../config/broker-config';
import { MAX_LONG } from '../config/definition';
import { formerDefaults } from '../config/former-defaults';
import { topicLogConfig } from '../config/topic-config';
import { LEADER_EPOCH_CHECKPOINT, parseEpochs, readIfPresent, readTopicId } from './checkpoint-file';
import type { FileSystem } from './file-system';
import type { KraftMetadata, KraftQuota } from './kraft-metadata';
import { CLUSTER_METADATA_DIRECTORY, offsetOfFileName, SNAPSHOT_SUFFIX } from './log-file-name';
import { decodeSnapshot } from './producer-snapshot';

export interface AdoptionOptions {
  readonly fileSystem: FileSystem;
  /** The data directories. */
  readonly paths: readonly string[];
  /** This broker's settings: where KRaft's metadata lie (`metadata.log.dir`), and what limits topics from now on. */
  readonly config: BrokerConfig;
  readonly brokerId: number;
  readonly random: Random;
  readonly logger: Logger;
}

export interface AdoptedTopic {
  readonly name: string;
  readonly id: string;
  /** Its own settings and, under names that are not shown, what it had for defaults. */
  readonly configs: ReadonlyMap<string, string>;
  /** At least the newest epoch in each partition's log; index = partition. */
  readonly leaderEpochs: readonly number[];
}

export interface AdoptedMetadata {
  readonly topics: readonly AdoptedTopic[];
  /** The first producer id that nobody can have been given. */
  readonly nextProducerId: number;
  readonly quotas: readonly KraftQuota[];
}

/** Beyond the newest producer id of the snapshots, where nobody tells how far they were given out. */
const PRODUCER_ID_MARGIN = 1_000_000;

/** Topics that Kafka itself makes, with the settings that it always gives them. */
const INTERNAL_TOPIC_CONFIGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  __consumer_offsets: { 'cleanup.policy': 'compact', 'compression.type': 'producer', 'segment.bytes': '104857600' },
  __transaction_state: {
    'cleanup.policy': 'compact',
    'compression.type': 'uncompressed',
    'segment.bytes': '104857600',
    'min.insync.replicas': '1',
  },
};

/** Directories of partitions by `partitionKey`. */
type PartitionDirectories = ReadonlyMap<string, string>;

function findPartitions({ fileSystem, paths }: AdoptionOptions): PartitionDirectories {
  const directories = new Map<string, string>();
  for (const path of paths) {
    for (const { name, isDirectory } of fileSystem.list(path)) {
      if (isDirectory && name !== CLUSTER_METADATA_DIRECTORY && parsePartitionKey(name))
        directories.set(name, join(path, name));
    }
  }
  return directories;
}

/** The directory of KRaft's metadata: where `metadata.log.dir` says, else in one of the data directories. */
function findMetadata({ fileSystem, paths, config }: AdoptionOptions): string | undefined {
  const metadataLogDir = config.get('metadata.log.dir');
  const places = metadataLogDir === null ? paths : [resolve(metadataLogDir)];
  const candidates = places.map((path) => join(path, CLUSTER_METADATA_DIRECTORY));
  return candidates.find((path) => fileSystem.stat(path)?.isDirectory === true);
}

/** The newest epoch that the partition's log has seen, 0 where there is none. */
function newestEpoch(fileSystem: FileSystem, directory: string | undefined): number {
  const content = directory && readIfPresent(fileSystem, join(directory, LEADER_EPOCH_CHECKPOINT));
  return (content && parseEpochs(content)?.at(-1)?.epoch) || 0;
}

function adoptKraft(o: AdoptionOptions, metadata: KraftMetadata, directories: PartitionDirectories): AdoptedMetadata {
  const { brokerConfigs } = metadata;
  const runtimeSettings = new Map([...(brokerConfigs.get('') ?? []), ...(brokerConfigs.get(String(o.brokerId)) ?? [])]);
  const defaults = formerDefaults(runtimeSettings);
  const topics = metadata.topics.map(({ name, id, configs, leaderEpochs }) => ({
    name,
    id,
    configs: new Map([...defaults, ...configs]),
    leaderEpochs: leaderEpochs.map((epoch, partition) =>
      Math.max(epoch, newestEpoch(o.fileSystem, directories.get(partitionKey(name, partition)))),
    ),
  }));
  if (runtimeSettings.size > 0) {
    const settings = Object.fromEntries(runtimeSettings);
    o.logger.warn('settings made at run time at the former broker count for its topics only', { settings });
  }
  for (const [kind, count] of metadata.unread) {
    o.logger.warn('not taken over from the former broker', { kind, count });
  }
  warnOfRetention(o, topics);
  warnOfCompaction(o, topics);
  return { topics, nextProducerId: metadata.nextProducerId, quotas: metadata.quotas };
}

/** Topics that nothing limits, of their own, of the former broker or of this one. */
function warnOfRetention({ config, logger }: AdoptionOptions, topics: readonly AdoptedTopic[]): void {
  const unlimited = topics.filter(({ configs }) => {
    const { cleanupDelete, retentionMs, retentionBytes } = topicLogConfig(config, configs);
    return cleanupDelete && retentionMs === -1 && retentionBytes === -1 && !configs.has('retention.ms');
  });
  if (unlimited.length === 0) return;
  logger.warn('adopted topics without a retention of their own keep everything until one is set', {
    topics: unlimited.map(({ name }) => name),
    settings: ['retention.ms', 'log.retention.ms'],
  });
}

function warnOfCompaction({ config, logger }: AdoptionOptions, topics: readonly AdoptedTopic[]): void {
  const held = topics.filter(({ configs }) => {
    const { cleanupCompact, minCompactionLagMs } = topicLogConfig(config, configs);
    return cleanupCompact && minCompactionLagMs === MAX_LONG && !configs.has('min.compaction.lag.ms');
  });
  if (held.length === 0) return;
  logger.warn('adopted topics are not compacted until a lag is set', {
    topics: held.map(({ name }) => name),
    settings: ['min.compaction.lag.ms', 'log.cleaner.min.compaction.lag.ms'],
  });
}

function partitionCounts(directories: PartitionDirectories): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of directories.keys()) {
    const { topic, partition } = parsePartitionKey(key)!;
    counts.set(topic, Math.max(counts.get(topic) ?? 0, partition + 1));
  }
  return counts;
}

/** The id that the topic's directories agree on, if they have one. */
function topicIdOf(fileSystem: FileSystem, directories: readonly string[]): string | undefined {
  return directories.map((directory) => readTopicId(fileSystem, directory)).find((id) => id !== ZERO_UUID);
}

function adoptByNames(o: AdoptionOptions, directories: PartitionDirectories): AdoptedMetadata {
  const defaults = formerDefaults(new Map());
  const topics: AdoptedTopic[] = [];
  for (const [name, count] of partitionCounts(directories)) {
    const own = Array.from({ length: count }, (_, partition) => directories.get(partitionKey(name, partition)));
    const internal = Object.entries(INTERNAL_TOPIC_CONFIGS[name] ?? {});
    topics.push({
      name,
      id:
        topicIdOf(
          o.fileSystem,
          own.filter((directory) => directory !== undefined),
        ) ?? randomUuid(o.random),
      configs: new Map([...defaults, ...internal]),
      leaderEpochs: own.map((directory) => newestEpoch(o.fileSystem, directory)),
    });
    if (internal.length > 0) continue;
    o.logger.warn('adopted topic has lost its settings and is neither compacted nor shortened until some are set', {
      topic: name,
      partitions: count,
    });
  }
  return { topics, nextProducerId: producerIdAfter(o.fileSystem, directories.values()), quotas: [] };
}

/**
 * A producer id that is safely beyond all that the partitions' producer snapshots tell of; 0 where they tell of none.
 */
function producerIdAfter(fileSystem: FileSystem, directories: Iterable<string>): number {
  let newest = -1;
  for (const directory of directories) {
    for (const { name } of fileSystem.list(directory)) {
      if (offsetOfFileName(name, SNAPSHOT_SUFFIX) === undefined) continue;
      const entries = decodeSnapshot(fileSystem.readFile(join(directory, name))) ?? [];
      for (const { producerId } of entries) newest = Math.max(newest, producerId);
    }
  }
  return newest < 0 ? 0 : newest + PRODUCER_ID_MARGIN;
}

/** Tells of partitions that have no data here, and of directories that no topic claims. */
function reportGaps(o: AdoptionOptions, topics: readonly AdoptedTopic[], directories: PartitionDirectories): void {
  const claimed = topics.flatMap(({ name, leaderEpochs }) => leaderEpochs.map((_, at) => partitionKey(name, at)));
  const missing = claimed.filter((key) => !directories.has(key));
  if (missing.length > 0) o.logger.warn('partitions of adopted topics have no data here', { partitions: missing });
  const known = new Set(claimed);
  const unclaimed = [...directories.keys()].filter((key) => !known.has(key));
  if (unclaimed.length > 0) {
    o.logger.warn('directories of topics that the metadata do not know are left alone', { directories: unclaimed });
  }
}

/** Loaded only where there is something to read. */
function readKraft(fileSystem: FileSystem, directory: string): KraftMetadata {
  const { readKraftMetadata } = require('./kraft-metadata') as typeof import('./kraft-metadata');
  return readKraftMetadata(fileSystem, directory);
}

/**
 * What another broker left, or undefined where there is nothing. Throws `StartFailure` when its metadata cannot be
 * understood: starting without them would lose what they say.
 */
export function adoptedMetadata(o: AdoptionOptions): AdoptedMetadata | undefined {
  const directories = findPartitions(o);
  const metadataDirectory = findMetadata(o);
  if (!metadataDirectory && directories.size === 0) return undefined;
  const adopted = metadataDirectory
    ? adoptKraft(o, readKraft(o.fileSystem, metadataDirectory), directories)
    : adoptByNames(o, directories);
  o.logger.info('adopting the data directory of another broker', {
    topics: adopted.topics.length,
    partitions: directories.size,
    topicsFrom: metadataDirectory ?? 'directory names',
  });
  reportGaps(o, adopted.topics, directories);
  return adopted;
}
