/**
 * Metadata (key 3), versions 0 to 13: brokers, controller, topics and their partitions.
 *
 * - All topics: an empty list in version 0, null from version 1 on; an empty list asks for none then.
 * - Unknown topics are created where the request and `auto.create.topics.enable` allow it (versions before 4 always
 *   allow it). The answer waits for that, so a new topic is usable at once.
 * - From version 12 on topics can be asked for by id (KIP-516); ids then count alone, and names without id are ignored.
 * - Version 0 hides replicas on brokers that are away and says REPLICA_NOT_AVAILABLE; up to version 5 a leader without
 *   the client's listener is LEADER_NOT_AVAILABLE, later LISTENER_NOT_FOUND.
 * - Authorized operations (KIP-430) in versions 8 to 10 for the cluster, from 8 on for topics.
 */
import { ZERO_UUID } from '../base/random';
import { type MetadataImage, NO_LEADER, type PartitionImage, type TopicImage } from '../cluster/metadata-image';
import { isInternalTopic, topicNameProblem } from '../cluster/topic-name';
import {
  type MetadataRequest,
  type MetadataRequestTopic,
  type MetadataResponse,
  type MetadataResponsePartition,
  type MetadataResponseTopic,
  newMetadataResponse,
  newMetadataResponseTopic,
} from '../codec/generated/03-metadata';
import { ErrorCode } from '../codec/generated/errors';
import { CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED, TOPIC_OPERATIONS } from './authorized-operations';
import { type DescribedBroker, offlineReplicas, reachableBrokers, reachableController } from './partition-description';
import type { Handler, RequestContext } from './request-context';
import { sharedAnswer } from './shared-answers';

type Reachable = ReadonlyMap<number, DescribedBroker>;
type DescribeTopics = (
  image: MetadataImage,
  describe: (topic: TopicImage) => MetadataResponseTopic,
) => MetadataResponseTopic[];

/** Of requests for more topics by name than this, which are rare, each gets an answer of its own. */
const MOST_SHARED_NAMES = 64;
const FIRST_VERSION_WITH_IDS = 12;
const FIRST_VERSION_WITH_LISTENER_ERROR = 6;

export const metadata: Handler<MetadataRequest, MetadataResponse> = async (context, request) => {
  const { apiVersion, broker } = context;
  const wanted = request.topics;
  if (wanted === null || (apiVersion === 0 && wanted.length === 0)) {
    return shared(context, request, { of: '', topics: (image, describe) => [...image.topics()].map(describe) });
  }
  if (
    apiVersion < FIRST_VERSION_WITH_IDS &&
    wanted.some((topic) => topic.name === null || topic.topicId !== ZERO_UUID)
  ) {
    return respond(context, request, () => wanted.map(invalidTopic));
  }
  const ids = new Set(wanted.map((topic) => topic.topicId));
  ids.delete(ZERO_UUID);
  if (ids.size > 0) {
    return respond(context, request, (image, describe) =>
      [...ids].map((topicId) => {
        const topic = image.topicById(topicId);
        if (topic) return describe(topic);
        return newMetadataResponseTopic({ name: null, topicId, errorCode: ErrorCode.UNKNOWN_TOPIC_ID });
      }),
    );
  }
  const names = [...new Set(wanted.map((topic) => topic.name ?? ''))];
  const missing = names.filter((name) => !broker.metadata.image.topic(name));
  if (missing.length === 0 && names.length <= MOST_SHARED_NAMES) {
    const topics: DescribeTopics = (image, describe) => names.map((name) => describe(image.topic(name)!));
    return shared(context, request, { of: names.join(), topics });
  }
  const mayCreate = request.allowAutoTopicCreation && broker.config.get('auto.create.topics.enable');
  const errors = await missingTopics(context, missing, mayCreate);
  const topicAuthorizedOperations = topicOperations(request);
  return respond(context, request, (image, describe) =>
    names.map((name) => {
      const topic = image.topic(name);
      if (topic) return describe(topic);
      const errorCode = errors.get(name) ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return newMetadataResponseTopic({
        name,
        errorCode,
        isInternal: isInternalTopic(name),
        topicAuthorizedOperations,
      });
    }),
  );
};

/** An answer that serves all who ask the same by the same address. `of`: the names of the topics, empty for all. */
function shared(
  context: RequestContext,
  request: MetadataRequest,
  { of, topics }: { of: string; topics: DescribeTopics },
): MetadataResponse {
  const { apiVersion, connection, broker } = context;
  const { listenerName, localAddress, localPort } = connection;
  const { includeTopicAuthorizedOperations: ofTopics, includeClusterAuthorizedOperations: ofCluster } = request;
  const key = [apiVersion, listenerName, localAddress, localPort, ofTopics, ofCluster, of].join();
  return sharedAnswer(broker.metadata.image, `metadata,${key}`, () => {
    const answer = respond(context, request, topics);
    let partitions = 0;
    for (const topic of answer.topics) partitions += topic.partitions.length;
    return { answer, partitions };
  });
}

/** Creates what may be created, and gives the errors of the rest by name. */
async function missingTopics(
  { broker, throttle }: RequestContext,
  names: readonly string[],
  mayCreate: boolean,
): Promise<ReadonlyMap<string, ErrorCode>> {
  const errors = new Map<string, ErrorCode>();
  for (const name of names) if (topicNameProblem(name)) errors.set(name, ErrorCode.INVALID_TOPIC_EXCEPTION);
  const creatable = mayCreate ? names.filter((name) => !errors.has(name)) : [];
  if (creatable.length === 0) return errors;
  const results = await broker.controller.autoCreateTopics(creatable, { quota: throttle.mutations('counted') });
  results.forEach((result, i) => {
    if (!result.ok) errors.set(creatable[i]!, result.error);
  });
  return errors;
}

/** An answer to a request that its version does not allow; names are not nullable in these versions. */
function invalidTopic({ name, topicId }: MetadataRequestTopic): MetadataResponseTopic {
  return newMetadataResponseTopic({ name: name ?? '', topicId, errorCode: ErrorCode.INVALID_REQUEST });
}

function respond(context: RequestContext, request: MetadataRequest, topics: DescribeTopics): MetadataResponse {
  const { image } = context.broker.metadata;
  const reachable = reachableBrokers(context);
  const operations = topicOperations(request);
  return newMetadataResponse({
    brokers: [...reachable.values()].map(({ id, host, port, rack }) => ({ nodeId: id, host, port, rack })),
    clusterId: image.clusterId,
    controllerId: reachableController(image, reachable),
    topics: topics(image, (topic) => describeTopic(topic, reachable, { version: context.apiVersion, operations })),
    clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? CLUSTER_OPERATIONS : OPERATIONS_NOT_ASKED,
  });
}

/** Also of a topic that is not there: that one may create it is worth knowing. */
function topicOperations(request: MetadataRequest): number {
  return request.includeTopicAuthorizedOperations ? TOPIC_OPERATIONS : OPERATIONS_NOT_ASKED;
}

/** Written out in full, without a message of defaults beside it: there may be very many topics. */
function describeTopic(
  topic: TopicImage,
  reachable: Reachable,
  { version, operations }: { version: number; operations: number },
): MetadataResponseTopic {
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: topic.isInternal,
    partitions: topic.partitions.map((partition) => describePartition(partition, reachable, version)),
    topicAuthorizedOperations: operations,
  };
}

function describePartition(
  partition: PartitionImage,
  reachable: Reachable,
  version: number,
): MetadataResponsePartition {
  const replicaNodes = version > 0 ? partition.replicas : partition.replicas.filter((id) => reachable.has(id));
  const isrNodes = version > 0 ? partition.isr : partition.isr.filter((id) => reachable.has(id));
  const hasLeader = reachable.has(partition.leader);
  const hidesSome = replicaNodes.length < partition.replicas.length || isrNodes.length < partition.isr.length;
  return {
    errorCode: hasLeader
      ? hidesSome
        ? ErrorCode.REPLICA_NOT_AVAILABLE
        : ErrorCode.NONE
      : noLeader(partition, version),
    partitionIndex: partition.partition,
    leaderId: hasLeader ? partition.leader : NO_LEADER,
    leaderEpoch: partition.leaderEpoch,
    // Only written out, never changed.
    replicaNodes: replicaNodes as number[],
    isrNodes: isrNodes as number[],
    offlineReplicas: offlineReplicas(partition, reachable),
  };
}

/** Why no leader can be named: there is none, or it has no endpoint of the client's listener. */
function noLeader({ leader }: PartitionImage, version: number): ErrorCode {
  return leader === NO_LEADER || version < FIRST_VERSION_WITH_LISTENER_ERROR
    ? ErrorCode.LEADER_NOT_AVAILABLE
    : ErrorCode.LISTENER_NOT_FOUND;
}
