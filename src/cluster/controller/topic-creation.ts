/**
 * Whether a topic can be created, and what it will be. Pure: an image and a request in, a topic out.
 * Source of order and codes: Kafka's `ReplicationControlManager.createTopics`.
 */
import { randomUuid, ZERO_UUID } from '../../base/random';
import { err, ok, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import type { BrokerConfig } from '../../config/broker-config';
import { checkTopicConfigs } from '../../config/topic-config';
import type { MetadataImage, TopicImage } from '../metadata-image';
import {
  CLUSTER_METADATA_TOPIC,
  collisionKey,
  GROUP_METADATA_TOPIC,
  isInternalTopic,
  topicNameProblem,
} from '../topic-name';
import { type AssignmentContext, checkedAssignment, newPartitions, placedAssignment } from './replica-assignment';
import type { CreatedTopic, NewTopic, ReplicaAssignment } from './topic-requests';

export interface CreationContext extends AssignmentContext {
  readonly image: MetadataImage;
  readonly config: BrokerConfig;
}

/** More partitions than this in one request are refused, as Kafka's controller does. */
const MOST_PARTITIONS = 10_000;

/** The topics as they shall be, or why not; one result per request, in order. */
export function planTopics(requests: readonly NewTopic[], context: CreationContext): Result<TopicImage, ErrorCode>[] {
  if (askedPartitions(requests, context) > MOST_PARTITIONS) {
    const message = 'Excessively large number of partitions per request.';
    return requests.map(() => err(ErrorCode.POLICY_VIOLATION, message));
  }
  /** Names that are made here, by what metrics make of them. */
  const taken = new Map<string, string>();
  return requests.map((request) => {
    const planned = planTopic(request, taken, context);
    if (!planned.ok) return planned;
    const key = collisionKey(request.name);
    if (key !== undefined) taken.set(key, request.name);
    return planned;
  });
}

/** At most: some of the topics may be refused. */
function askedPartitions(requests: readonly NewTopic[], { config }: CreationContext): number {
  const fallback = config.get('num.partitions');
  const counts = requests.map(({ assignments, numPartitions }) => {
    if (assignments.length > 0) return assignments.length;
    return numPartitions === -1 ? fallback : Math.max(0, numPartitions);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function planTopic(
  request: NewTopic,
  taken: ReadonlyMap<string, string>,
  context: CreationContext,
): Result<TopicImage, ErrorCode> {
  const { name } = request;
  const problem = topicNameProblem(name);
  if (problem) return err(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  if (name === CLUSTER_METADATA_TOPIC) {
    return err(ErrorCode.INVALID_REQUEST, `Creation of internal topic ${name} is prohibited.`);
  }
  if (context.image.topic(name)) return err(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic '${name}' already exists.`);
  const key = collisionKey(name);
  const other = key === undefined ? undefined : (context.image.collidingTopic(name) ?? taken.get(key));
  if (other !== undefined) {
    return err(ErrorCode.INVALID_TOPIC_EXCEPTION, `Topic '${name}' collides with existing topic: ${other}`);
  }
  const configs = checkedConfigs(request.configs, context.config);
  if (!configs.ok) return configs;
  const assignment =
    request.assignments.length > 0 ? manualAssignment(request, context) : automaticAssignment(request, context);
  if (!assignment.ok) return assignment;
  return ok({
    name,
    id: randomUuid(context.random),
    isInternal: isInternalTopic(name),
    partitions: newPartitions(assignment.value, 0),
    configs: configs.value,
  });
}

function checkedConfigs(
  configs: ReadonlyMap<string, string | null>,
  config: BrokerConfig,
): Result<ReadonlyMap<string, string>, ErrorCode> {
  const given = new Map<string, string>();
  const nulls: string[] = [];
  for (const [key, value] of configs) {
    if (value === null) nulls.push(key);
    else given.set(key, value);
  }
  if (nulls.length > 0) return err(ErrorCode.INVALID_CONFIG, `Null value not supported for topic configs: ${nulls}`);
  const checked = checkTopicConfigs(config, given);
  return checked.ok ? ok(given) : err(ErrorCode.INVALID_CONFIG, checked.error);
}

function manualAssignment(request: NewTopic, context: CreationContext): Result<number[][], ErrorCode> {
  const wasGiven = request.replicationFactor !== -1 ? 'replication factor' : 'numPartitions';
  if (request.replicationFactor !== -1 || request.numPartitions !== -1) {
    const message = `A manual partition assignment was specified, but ${wasGiven} was not set to -1.`;
    return err(ErrorCode.INVALID_REQUEST, message);
  }
  const seen = new Set<number>();
  for (const { partition, brokerIds } of request.assignments) {
    if (seen.has(partition)) {
      const message = `Found multiple manual partition assignments for partition ${partition}`;
      return err(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message);
    }
    const checked = checkedAssignment([brokerIds], request.assignments[0]!.brokerIds.length, context);
    if (!checked.ok) return checked;
    seen.add(partition);
  }
  return orderedAssignment(request.assignments);
}

function orderedAssignment(assignments: readonly ReplicaAssignment[]): Result<number[][], ErrorCode> {
  const byPartition = new Map(assignments.map(({ partition, brokerIds }) => [partition, [...brokerIds]]));
  const ordered: number[][] = [];
  for (let partition = 0; partition < assignments.length; partition++) {
    const brokerIds = byPartition.get(partition);
    if (!brokerIds) {
      return err(ErrorCode.INVALID_REPLICA_ASSIGNMENT, 'partitions should be a consecutive 0-based integer sequence');
    }
    ordered.push(brokerIds);
  }
  return ok(ordered);
}

function automaticAssignment(request: NewTopic, context: CreationContext) {
  const { numPartitions, replicationFactor } = request;
  if (replicationFactor < -1 || replicationFactor === 0) {
    return err(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      'Replication factor must be larger than 0, or -1 to use the default value.',
    );
  }
  if (numPartitions < -1 || numPartitions === 0) {
    return err(ErrorCode.INVALID_PARTITIONS, 'Number of partitions was set to an invalid non-positive value.');
  }
  const partitionCount = numPartitions === -1 ? context.config.get('num.partitions') : numPartitions;
  const factor = replicationFactor === -1 ? context.config.get('default.replication.factor') : replicationFactor;
  const placed = placedAssignment({ partitionCount, replicationFactor: factor, firstPartition: 0 }, context);
  if (placed.ok) return placed;
  return err(placed.error, `Unable to replicate the partition ${factor} time(s): ${placed.message}`);
}

/** What a topic gets that nobody configured: the offsets topic its own settings, all others the defaults. */
export function autoCreatedTopic(name: string, { config, image }: CreationContext): NewTopic {
  if (name !== GROUP_METADATA_TOPIC) {
    return { name, numPartitions: -1, replicationFactor: -1, assignments: [], configs: new Map() };
  }
  return {
    name,
    numPartitions: config.get('offsets.topic.num.partitions'),
    replicationFactor: image.brokers.size === 1 ? 1 : config.get('offsets.topic.replication.factor'),
    assignments: [],
    configs: new Map([
      ['cleanup.policy', 'compact'],
      ['compression.type', 'producer'],
      ['segment.bytes', String(config.get('offsets.topic.segment.bytes'))],
    ]),
  };
}

/** What a client is told of a topic that is made, or would be; one that is only validated has no id. */
export function createdTopic(topic: TopicImage, { validateOnly }: { readonly validateOnly: boolean }): CreatedTopic {
  return {
    name: topic.name,
    id: validateOnly ? ZERO_UUID : topic.id,
    numPartitions: topic.partitions.length,
    replicationFactor: topic.partitions[0]!.replicas.length,
    configs: topic.configs,
  };
}
