/**
 * Topics and quotas of a data directory that another broker wrote, brought into a new control store. Pure: makes
 * images and nodes; reading the other broker's files is not done here.
 */
import { type ClientQuota, isQuotaEntityType, type QuotaEntity, quotaValueType } from '../client-quota';
import type { ControlOperation } from '../control-store';
import type { TopicImage } from '../metadata-image';
import { newQuotaNodes } from '../quota-nodes';
import { isInternalTopic } from '../topic-name';
import { createTopicNodes, encodeProducerIdBlock, PRODUCER_ID_BLOCK_PATH } from '../znodes';
import { FIRST_CONTROLLER_EPOCH } from './controller-session';

export interface ImportedTopic {
  readonly name: string;
  readonly id: string;
  readonly configs: ReadonlyMap<string, string>;
  /** The leader epoch of each partition, at least the newest one in its log; index = partition. */
  readonly leaderEpochs: readonly number[];
}

export interface ImportedMetadata {
  readonly topics: readonly ImportedTopic[];
  /** The first producer id that was never given out; 0 when unknown. */
  readonly nextProducerId: number;
  readonly quotas?: readonly ImportedQuota[];
}

export interface ImportedQuota {
  /** Names by type; null for the default. */
  readonly entity: ReadonlyMap<string, string | null>;
  readonly values: ReadonlyMap<string, number>;
}

function importedTopic(topic: ImportedTopic, brokerId: number): TopicImage {
  return {
    name: topic.name,
    id: topic.id,
    isInternal: isInternalTopic(topic.name),
    configs: topic.configs,
    partitions: topic.leaderEpochs.map((leaderEpoch, partition) => ({
      partition,
      leader: brokerId,
      leaderEpoch,
      partitionEpoch: 0,
      replicas: [brokerId],
      isr: [brokerId],
    })),
  };
}

/** Nodes of the topics as this broker alone holds them, and of the producer ids that must not be given again. */
export function importedNodes(
  { topics, nextProducerId, quotas = [] }: ImportedMetadata,
  brokerId: number,
): ControlOperation[] {
  const nodes = topics.flatMap((topic) => createTopicNodes(importedTopic(topic, brokerId), FIRST_CONTROLLER_EPOCH));
  if (nextProducerId > 0) {
    const data = encodeProducerIdBlock({ brokerId, first: 0, last: nextProducerId - 1 });
    nodes.push({ kind: 'create', path: PRODUCER_ID_BLOCK_PATH, data });
  }
  nodes.push(...newQuotaNodes(quotas.filter(isKnown)));
  return nodes;
}

/** Whether the quota is of a kind that there is here; its values are as the other broker had checked them. */
function isKnown(quota: ImportedQuota): quota is ClientQuota {
  const { entity, values } = quota;
  const known = [...entity.keys()].every(isQuotaEntityType);
  return known && [...values.keys()].every((key) => quotaValueType(entity as QuotaEntity, key) !== undefined);
}
