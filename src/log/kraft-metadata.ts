/**
 * Reads the cluster metadata that a KRaft broker left in its data directory: the newest snapshot of
 * `__cluster_metadata-0` and the log behind it. Owns the replay of those records that tell topics, settings, quotas and
 * producer ids; of the others it counts those whose loss the operator must hear of. Writes nothing. A single node's log
 * is committed to its end; a torn tail of the last segment was never acknowledged and is passed over.
 */
import { join } from 'node:path';
import { StartFailure } from '../base/start-failure';
import { clientQuotaRecordSchema, decodeClientQuotaRecord } from '../codec/generated/records/client-quota-record';
import { configRecordSchema, decodeConfigRecord } from '../codec/generated/records/config-record';
import {
  decodePartitionChangeRecord,
  partitionChangeRecordSchema,
} from '../codec/generated/records/partition-change-record';
import { decodePartitionRecord, partitionRecordSchema } from '../codec/generated/records/partition-record';
import { decodeProducerIdsRecord, producerIdsRecordSchema } from '../codec/generated/records/producer-ids-record';
import { decodeRemoveTopicRecord, removeTopicRecordSchema } from '../codec/generated/records/remove-topic-record';
import { decodeTopicRecord, topicRecordSchema } from '../codec/generated/records/topic-record';
import { MalformedMessage } from '../codec/malformed';
import { Reader } from '../codec/reader';
import * as batchHeader from '../records/batch-header';
import { decodeRecords } from '../records/record-codec';
import type { FileSystem } from './file-system';
import { LOG_SUFFIX, offsetOfFileName } from './log-file-name';
import { isPlausible } from './stored-batch';

export interface KraftTopic {
  readonly name: string;
  readonly id: string;
  readonly configs: ReadonlyMap<string, string>;
  /** Index = partition. */
  readonly leaderEpochs: readonly number[];
}

/** The quotas of one entity: names by type, null for the default; values by key. */
export interface KraftQuota {
  readonly entity: ReadonlyMap<string, string | null>;
  readonly values: ReadonlyMap<string, number>;
}

export interface KraftMetadata {
  readonly topics: readonly KraftTopic[];
  /** The first producer id that was never given out. */
  readonly nextProducerId: number;
  /** Settings made at run time, by broker; the empty name stands for all brokers. */
  readonly brokerConfigs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly quotas: readonly KraftQuota[];
  /** Records of kinds that are not read: their name → how many. */
  readonly unread: ReadonlyMap<string, number>;
}

const FRAME_VERSION = 1;
const TOPIC_RESOURCE = 2;
const BROKER_RESOURCE = 4;
/** The leader field of a change that leaves the leadership alone. */
const SAME_LEADER = -2;

/** A transaction of metadata records: what lies between counts only with its end (KIP-868). */
const BEGIN_TRANSACTION = 23;
const END_TRANSACTION = 24;
const ABORT_TRANSACTION = 25;

/** Kinds that hold something an operator made. */
const UNREAD_KINDS: Readonly<Record<number, string>> = {
  10: 'delegation tokens',
  11: 'SCRAM users',
  18: 'ACLs',
};

interface PartialTopic {
  readonly name: string;
  readonly id: string;
  readonly leaderEpochs: number[];
}

/** The records so far, replayed. */
class MetadataReplay {
  readonly topics = new Map<string, PartialTopic>();
  readonly topicConfigs = new Map<string, Map<string, string>>();
  readonly brokerConfigs = new Map<string, Map<string, string>>();
  readonly quotas = new Map<string, { entity: Map<string, string | null>; values: Map<string, number> }>();
  readonly unread = new Map<string, number>();
  nextProducerId = 0;
  #transaction: Buffer[] | undefined;

  /** One record's value: frame version, kind, version, content. */
  record(value: Buffer): void {
    const kind = kindOf(value);
    if (kind === BEGIN_TRANSACTION) {
      this.#transaction = [];
    } else if (kind === ABORT_TRANSACTION) {
      this.#transaction = undefined;
    } else if (kind === END_TRANSACTION) {
      const values = this.#transaction ?? [];
      this.#transaction = undefined;
      for (const one of values) this.#apply(one);
    } else if (this.#transaction) {
      this.#transaction.push(value);
    } else {
      this.#apply(value);
    }
  }

  #apply(value: Buffer): void {
    const reader = new Reader(value);
    reader.uvarint();
    const kind = reader.uvarint();
    const version = reader.uvarint();
    switch (kind) {
      case topicRecordSchema.id: {
        const { name, topicId } = decodeTopicRecord(reader, version);
        this.topics.set(topicId, { name, id: topicId, leaderEpochs: [] });
        break;
      }
      case removeTopicRecordSchema.id: {
        const { topicId } = decodeRemoveTopicRecord(reader, version);
        this.topicConfigs.delete(this.#topic(topicId).name);
        this.topics.delete(topicId);
        break;
      }
      case partitionRecordSchema.id: {
        const { topicId, partitionId, leaderEpoch } = decodePartitionRecord(reader, version);
        this.#topic(topicId).leaderEpochs[partitionId] = leaderEpoch;
        break;
      }
      case partitionChangeRecordSchema.id: {
        const { topicId, partitionId, leader } = decodePartitionChangeRecord(reader, version);
        const { leaderEpochs } = this.#topic(topicId);
        if (leader !== SAME_LEADER) leaderEpochs[partitionId] = (leaderEpochs[partitionId] ?? -1) + 1;
        break;
      }
      case configRecordSchema.id:
        this.#config(reader, version);
        break;
      case clientQuotaRecordSchema.id:
        this.#quota(reader, version);
        break;
      case producerIdsRecordSchema.id:
        this.nextProducerId = decodeProducerIdsRecord(reader, version).nextProducerId;
        break;
      default: {
        const name = UNREAD_KINDS[kind];
        if (name !== undefined) this.unread.set(name, (this.unread.get(name) ?? 0) + 1);
      }
    }
  }

  #topic(id: string): PartialTopic {
    const topic = this.topics.get(id);
    if (!topic) throw new MalformedMessage(`no topic has the id ${id}`);
    return topic;
  }

  #config(reader: Reader, version: number): void {
    const { resourceType, resourceName, name, value } = decodeConfigRecord(reader, version);
    const resources =
      resourceType === TOPIC_RESOURCE
        ? this.topicConfigs
        : resourceType === BROKER_RESOURCE
          ? this.brokerConfigs
          : undefined;
    if (!resources) return;
    const configs = resources.get(resourceName) ?? new Map<string, string>();
    resources.set(resourceName, configs);
    if (value === null) configs.delete(name);
    else configs.set(name, value);
  }

  #quota(reader: Reader, version: number): void {
    const { entity: parts, key, value, remove } = decodeClientQuotaRecord(reader, version);
    const entity = new Map(parts.map(({ entityType, entityName }) => [entityType, entityName]));
    const name = JSON.stringify([...entity].sort());
    const quota = this.quotas.get(name) ?? { entity, values: new Map<string, number>() };
    this.quotas.set(name, quota);
    if (remove) quota.values.delete(key);
    else quota.values.set(key, value);
  }

  result(): KraftMetadata {
    const topics = [...this.topics.values()].map(({ name, id, leaderEpochs }) => ({
      name,
      id,
      configs: this.topicConfigs.get(name) ?? new Map<string, string>(),
      leaderEpochs: Array.from(leaderEpochs, (epoch) => epoch ?? 0),
    }));
    const quotas = [...this.quotas.values()].filter(({ values }) => values.size > 0);
    const { nextProducerId, brokerConfigs, unread } = this;
    return { topics, nextProducerId, brokerConfigs, quotas, unread };
  }
}

function kindOf(value: Buffer): number {
  const reader = new Reader(value);
  const frameVersion = reader.uvarint();
  if (frameVersion !== FRAME_VERSION) throw new MalformedMessage(`frame version ${frameVersion}`);
  return reader.uvarint();
}

interface MetadataFile {
  readonly path: string;
  readonly content: Buffer;
  /** Records before it were replayed already. */
  readonly fromOffset: number;
  /** Whether the end may be torn. */
  readonly isLast: boolean;
}

function isWholeBatch(content: Buffer, position: number): boolean {
  const available = content.length - position;
  return (
    isPlausible(content, position, available) &&
    batchHeader.magic(content, position) === batchHeader.MAGIC_V2 &&
    batchHeader.sizeInBytes(content, position) <= available &&
    batchHeader.isCrcValid(content, position)
  );
}

function replayFile(replay: MetadataReplay, { path, content, fromOffset, isLast }: MetadataFile): void {
  let position = 0;
  while (position < content.length) {
    if (!isWholeBatch(content, position)) {
      if (isLast) return;
      throw new StartFailure(`The metadata of the former broker are damaged: ${path} at byte ${position}`);
    }
    if (!batchHeader.isControl(content, position)) {
      const records = decodeRecords(content, position);
      if (!records.ok)
        throw new StartFailure(`The metadata of the former broker are damaged: ${path}: ${records.error}`);
      for (const { offset, value } of records.value) {
        if (offset >= fromOffset && value !== null) replay.record(value);
      }
    }
    position += batchHeader.sizeInBytes(content, position);
  }
}

/** The newest snapshot of the directory: `<offset>-<epoch>.checkpoint` holds everything before that offset. */
function newestSnapshot(names: readonly string[]): { name: string; offset: number } | undefined {
  let newest: { name: string; offset: number } | undefined;
  for (const name of [...names].sort()) {
    const match = /^(\d{20})-(\d{10})\.checkpoint$/.exec(name);
    if (match) newest = { name, offset: Number(match[1]) };
  }
  return newest;
}

function replayDirectory(fileSystem: FileSystem, directory: string): KraftMetadata {
  const replay = new MetadataReplay();
  const names = fileSystem.list(directory).map((entry) => entry.name);
  const snapshot = newestSnapshot(names);
  if (snapshot) {
    const path = join(directory, snapshot.name);
    replayFile(replay, { path, content: fileSystem.readFile(path), fromOffset: 0, isLast: false });
  }
  const fromOffset = snapshot?.offset ?? 0;
  const segments = names
    .map((name) => ({ name, offset: offsetOfFileName(name, LOG_SUFFIX) ?? -1 }))
    .filter(({ offset }) => offset >= 0)
    .sort((a, b) => a.offset - b.offset);
  for (const [at, { name }] of segments.entries()) {
    const next = segments[at + 1];
    if (next && next.offset <= fromOffset) continue;
    const path = join(directory, name);
    replayFile(replay, { path, content: fileSystem.readFile(path), fromOffset, isLast: !next });
  }
  return replay.result();
}

/** The metadata in `directory`; throws `StartFailure` when they cannot be understood. */
export function readKraftMetadata(fileSystem: FileSystem, directory: string): KraftMetadata {
  try {
    return replayDirectory(fileSystem, directory);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new StartFailure(`The metadata of the former broker in ${directory} are not understood: ${error.message}`);
  }
}
