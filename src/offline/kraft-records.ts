/**
 * What a control store holds as the records of KRaft's metadata log, for one node that is broker and controller. Pure.
 * Owns what can be said there and what cannot. The other way is kraft-metadata.ts of the log layer.
 */
import type { PartitionImage, TopicImage } from '../cluster/metadata-image';
import type { StoredMetadata } from '../cluster/stored-metadata';
import { clientQuotaRecordSchema, encodeClientQuotaRecord } from '../codec/generated/records/client-quota-record';
import { configRecordSchema, encodeConfigRecord } from '../codec/generated/records/config-record';
import { encodeFeatureLevelRecord, featureLevelRecordSchema } from '../codec/generated/records/feature-level-record';
import {
  encodePartitionRecord,
  newPartitionRecord,
  partitionRecordSchema,
} from '../codec/generated/records/partition-record';
import { encodeProducerIdsRecord, producerIdsRecordSchema } from '../codec/generated/records/producer-ids-record';
import { encodeTopicRecord, topicRecordSchema } from '../codec/generated/records/topic-record';
import { Writer } from '../codec/writer';
import { FORMER_DEFAULT_PREFIX, splitOverrides } from '../config/topic-config';

export interface KraftExport {
  readonly brokerId: number;
  readonly metadata: Omit<StoredMetadata, 'deletions'>;
  /** The id of the data directory that holds a partition, or is to hold it. */
  readonly directoryId: (topic: string, partition: number) => string;
}

export interface KraftRecords {
  /** Frame version, kind, version and content of each. */
  readonly values: readonly Buffer[];
  /** What an operator should hear of: settings that do not go along, or say more than before. */
  readonly remarks: readonly string[];
}

/**
 * The features of a cluster that Kafka 4.0 formats, and every later 4.x takes: metadata.version 4.0-IV3, the newer
 * group protocol, transactions of KIP-890.
 */
const FEATURES: Readonly<Record<string, number>> = {
  'metadata.version': 25,
  'group.version': 1,
  'transaction.version': 2,
};

/** Topic settings that Kafka 4.x no longer has, and those of ours. */
const NOT_IN_KAFKA_4 = new Set([
  'message.format.version',
  'message.downconversion.enable',
  'message.timestamp.difference.max.ms',
  'max.decompressed.message.bytes',
]);

const FRAME_VERSION = 1;
/** With the directories of replicas, and without what only metadata.versions after 4.0 know. */
const PARTITION_VERSION = 1;
const VERSION = 0;

/** Numbers of kinds of resources. (Kafka: ConfigResource.Type.) */
const RESOURCE_TYPES = { topic: 2, brokers: 4, 'client-metrics': 16, groups: 32 } as const;

/** The frame around a record. */
function framed(kind: number, version: number, encode: (writer: Writer) => void): Buffer {
  const writer = new Writer();
  for (const number of [FRAME_VERSION, kind, version]) writer.uvarint(number);
  encode(writer);
  return writer.finishBuffer();
}

function configRecord(resourceType: number, resourceName: string, [name, value]: readonly [string, string]): Buffer {
  return framed(configRecordSchema.id, VERSION, (writer) =>
    encodeConfigRecord(writer, { resourceType, resourceName, name, value }, VERSION),
  );
}

interface TopicSettings {
  readonly settings: readonly (readonly [string, string])[];
  /** Those among them that were defaults. */
  readonly former: readonly string[];
  /** Names of settings that do not go along. */
  readonly left: readonly string[];
}

/**
 * A topic's own settings, and those that it took over as defaults from a former broker: Kafka knows no such thing, and
 * without them it might delete what was kept. Internal topics are kept small by Kafka itself.
 */
function topicSettings({ configs, isInternal }: TopicImage): TopicSettings {
  const { own, former } = splitOverrides(configs);
  const added: string[] = [];
  for (const [name, value] of isInternal ? [] : former) {
    const plain = name.slice(FORMER_DEFAULT_PREFIX.length);
    if (own.has(plain)) continue;
    own.set(plain, value);
    added.push(`${plain}=${value}`);
  }
  const isKnown = ([name]: readonly [string, string]): boolean => !NOT_IN_KAFKA_4.has(name);
  return {
    settings: [...own].filter(isKnown),
    former: added,
    left: [...own].filter((setting) => !isKnown(setting)).map(([name]) => name),
  };
}

function topicRecords({ brokerId, metadata, directoryId }: KraftExport, remarks: string[]): Buffer[] {
  const values: Buffer[] = [];
  const withFormer: string[] = [];
  for (const topic of metadata.topics) {
    const { name, id: topicId, partitions } = topic;
    values.push(
      framed(topicRecordSchema.id, VERSION, (writer) => encodeTopicRecord(writer, { name, topicId }, VERSION)),
    );
    for (const partition of partitions) {
      const directories = [directoryId(name, partition.partition)];
      values.push(partitionRecord(partition, { topicId, brokerId, directories }));
    }
    const { settings, former, left } = topicSettings(topic);
    for (const setting of settings) values.push(configRecord(RESOURCE_TYPES.topic, name, setting));
    if (former.length > 0) withFormer.push(`${name} (${former.join(', ')})`);
    if (left.length > 0) remarks.push(`topic ${name} loses settings that Kafka 4 does not have: ${left.join(', ')}`);
  }
  if (withFormer.length > 0)
    remarks.push(`defaults of a former broker become settings of topics: ${withFormer.join(', ')}`);
  return values;
}

function partitionRecord(
  { partition: partitionId, leaderEpoch, partitionEpoch }: PartitionImage,
  { topicId, brokerId, directories }: { topicId: string; brokerId: number; directories: string[] },
): Buffer {
  const replicas = [brokerId];
  const place = { partitionId, topicId, replicas, isr: replicas, leader: brokerId, directories };
  const record = newPartitionRecord({ ...place, leaderEpoch, partitionEpoch });
  return framed(partitionRecordSchema.id, PARTITION_VERSION, (writer) =>
    encodePartitionRecord(writer, record, PARTITION_VERSION),
  );
}

function quotaRecords({ quotas }: Pick<StoredMetadata, 'quotas'>): Buffer[] {
  return quotas.flatMap(({ entity, values }) => {
    const parts = Array.from(entity, ([entityType, entityName]) => ({ entityType, entityName }));
    return Array.from(values, ([key, value]) =>
      framed(clientQuotaRecordSchema.id, VERSION, (writer) =>
        encodeClientQuotaRecord(writer, { entity: parts, key, value, remove: false }, VERSION),
      ),
    );
  });
}

/** All records, in an order in which each finds what it refers to. */
export function kraftRecords(exported: KraftExport): KraftRecords {
  const { brokerId, metadata } = exported;
  const remarks: string[] = [];
  const values = Object.entries(FEATURES).map(([name, featureLevel]) =>
    framed(featureLevelRecordSchema.id, VERSION, (writer) =>
      encodeFeatureLevelRecord(writer, { name, featureLevel }, VERSION),
    ),
  );
  values.push(...topicRecords(exported, remarks));
  for (const { scope, name, configs } of metadata.configs) {
    for (const setting of configs) {
      if (setting[0].startsWith('odradek.')) remarks.push(`Kafka has no setting ${setting[0]}`);
      else values.push(configRecord(RESOURCE_TYPES[scope], name, setting));
    }
  }
  values.push(...quotaRecords(metadata));
  const { nextProducerId } = metadata;
  if (nextProducerId > 0) {
    values.push(
      framed(producerIdsRecordSchema.id, VERSION, (writer) =>
        encodeProducerIdsRecord(writer, { brokerId, brokerEpoch: -1, nextProducerId }, VERSION),
      ),
    );
  }
  return { values, remarks };
}
