/**
 * OffsetFetch (key 9), versions 0–10.
 * A partition without an offset, also one that does not exist, is answered with -1, no error. Null topics (v2+, KIP-88)
 * ask for all. v2+ has the group's error at the top. v7+ can ask for stable offsets only (KIP-447). v8+ takes several
 * groups (KIP-709). v10 speaks of topics by id (KIP-848). v0 is answered from the same store as the others.
 */
import { ZERO_UUID } from '../base/random';
import type { MetadataImage } from '../cluster/metadata-image';
import {
  newOffsetFetchRequestGroup,
  newOffsetFetchRequestTopics,
  newOffsetFetchResponse,
  newOffsetFetchResponsePartition,
  newOffsetFetchResponsePartitions,
  newOffsetFetchResponseTopic,
  newOffsetFetchResponseTopics,
  type OffsetFetchRequest,
  type OffsetFetchRequestGroup,
  type OffsetFetchRequestTopics,
  type OffsetFetchResponse,
  type OffsetFetchResponseGroup,
  type OffsetFetchResponseTopics,
} from '../codec/generated/09-offset-fetch';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler, RequestContext } from './request-context';

const TOP_LEVEL_ERROR_FROM = 2;
const GROUPS_FROM = 8;
const TOPIC_IDS_FROM = 10;

export const offsetFetch: Handler<OffsetFetchRequest, OffsetFetchResponse> = async (context, request) => {
  if (context.apiVersion < GROUPS_FROM) return fetchOneGroup(context, request);
  const groups = await Promise.all(
    request.groups.map((group) =>
      context.apiVersion < TOPIC_IDS_FROM
        ? context.broker.groups.fetchOffsets(group, request.requireStable)
        : fetchByTopicId(context, group, request.requireStable),
    ),
  );
  return newOffsetFetchResponse({ groups });
};

async function fetchOneGroup(context: RequestContext, request: OffsetFetchRequest): Promise<OffsetFetchResponse> {
  const { groupId, topics: asked, requireStable } = request;
  const topics =
    asked?.map(({ name, partitionIndexes }) => newOffsetFetchRequestTopics({ name, partitionIndexes })) ?? null;
  const group = newOffsetFetchRequestGroup({ groupId, topics });
  const { errorCode, topics: fetched } = await context.broker.groups.fetchOffsets(group, requireStable);
  if (errorCode !== ErrorCode.NONE && context.apiVersion < TOP_LEVEL_ERROR_FROM) {
    return newOffsetFetchResponse({ topics: failedTopics(request, errorCode) });
  }
  return newOffsetFetchResponse({
    errorCode,
    topics: fetched.map(({ name, partitions }) =>
      newOffsetFetchResponseTopic({ name, partitions: partitions.map(newOffsetFetchResponsePartition) }),
    ),
  });
}

/** The group's error, told for each partition, as the oldest versions have it. */
function failedTopics({ topics }: OffsetFetchRequest, errorCode: number): OffsetFetchResponse['topics'] {
  return (topics ?? []).map(({ name, partitionIndexes }) =>
    newOffsetFetchResponseTopic({
      name,
      partitions: partitionIndexes.map((partitionIndex) =>
        newOffsetFetchResponsePartition({ partitionIndex, committedOffset: -1, metadata: '', errorCode }),
      ),
    }),
  );
}

async function fetchByTopicId(
  context: RequestContext,
  group: OffsetFetchRequestGroup,
  requireStable: boolean,
): Promise<OffsetFetchResponseGroup> {
  const { image } = context.broker.metadata;
  const named = group.topics?.map((topic) => ({ ...topic, name: image.topicById(topic.topicId)?.name ?? '' })) ?? null;
  const topics = named?.filter(({ name }) => name !== '') ?? null;
  const fetched = await context.broker.groups.fetchOffsets({ ...group, topics }, requireStable);
  if (fetched.errorCode !== ErrorCode.NONE) return fetched;
  if (named === null) return { ...fetched, topics: withIds(image, fetched.topics) };
  const answers = fetched.topics.values();
  return {
    ...fetched,
    topics: named.map((topic) => (topic.name === '' ? unknownTopic(topic) : answers.next().value!)),
  };
}

/** Topics that are gone have no id to speak of, so they are left out. */
function withIds(image: MetadataImage, topics: readonly OffsetFetchResponseTopics[]): OffsetFetchResponseTopics[] {
  return topics
    .map((topic) => ({ ...topic, topicId: image.topic(topic.name)?.id ?? ZERO_UUID }))
    .filter(({ topicId }) => topicId !== ZERO_UUID);
}

function unknownTopic({ topicId, partitionIndexes }: OffsetFetchRequestTopics): OffsetFetchResponseTopics {
  const errorCode = ErrorCode.UNKNOWN_TOPIC_ID;
  return newOffsetFetchResponseTopics({
    topicId,
    partitions: partitionIndexes.map((partitionIndex) =>
      newOffsetFetchResponsePartitions({ partitionIndex, committedOffset: -1, metadata: '', errorCode }),
    ),
  });
}
