/**
 * CreateTopics (key 19), versions 0 to 7.
 *
 * - A topic is answered NONE when it is stored and its leaders serve, so `timeoutMs` has nothing to wait for.
 * - -1 for partitions and replicas: the broker's defaults (KIP-464), or what the assignments tell.
 * - A name that occurs twice is refused once, with INVALID_REQUEST.
 * - From version 5 on the answer tells partitions, replication factor and every config with its source (KIP-525), also
 *   when the request was only validated; from version 7 on the topic id, which is zero then.
 * - A quota of topic changes (KIP-599) refuses topics from version 6 on; before, it makes the client pause.
 */

import type { CreatedTopic, NewTopic } from '../cluster/controller/topic-requests';
import {
  type CreatableTopic,
  type CreatableTopicConfigs,
  type CreatableTopicResult,
  type CreateTopicsRequest,
  type CreateTopicsResponse,
  newCreatableTopicConfigs,
  newCreatableTopicResult,
  newCreateTopicsResponse,
} from '../codec/generated/19-create-topics';
import { ErrorCode } from '../codec/generated/errors';
import type { BrokerConfig } from '../config/broker-config';
import { topicDescriber } from '../config/config-entry';
import type { TopicOverrides } from '../config/topic-config';
import { duplicates } from './duplicates';
import type { Handler } from './request-context';

const FIRST_WITH_QUOTA_ERROR = 6;

export const createTopics: Handler<CreateTopicsRequest, CreateTopicsResponse> = async (context, request) => {
  const twice = duplicates(request.topics.map((topic) => topic.name));
  const once = request.topics.filter((topic) => !twice.has(topic.name));
  const { broker, throttle, apiVersion } = context;
  const { validateOnly } = request;
  const quota = throttle.mutations(apiVersion >= FIRST_WITH_QUOTA_ERROR ? 'strict' : 'permissive');
  const results = await broker.controller.createTopics(once.map(newTopic), { validateOnly, quota });
  const describe = configsTeller(broker.config);
  const topics = results.map((result, i) =>
    result.ok ? created(result.value, describe) : refused(once[i]!.name, result.error, result.message),
  );
  for (const name of twice) topics.push(refused(name, ErrorCode.INVALID_REQUEST, 'Duplicate topic name.'));
  return newCreateTopicsResponse({ topics });
};

function newTopic(topic: CreatableTopic): NewTopic {
  return {
    name: topic.name,
    numPartitions: topic.numPartitions,
    replicationFactor: topic.replicationFactor,
    assignments: topic.assignments.map(({ partitionIndex, brokerIds }) => ({ partition: partitionIndex, brokerIds })),
    configs: givenConfigs(topic),
  };
}

/** Of a setting that is given twice the later value counts, but null stays an error. */
function givenConfigs({ configs }: CreatableTopic): Map<string, string | null> {
  const given = new Map<string, string | null>();
  for (const { name, value } of configs) if (given.get(name) !== null) given.set(name, value);
  return given;
}

/** All settings of a topic with these of its own; those of topics without any are one list. */
function configsTeller(config: BrokerConfig): (overrides: TopicOverrides) => CreatableTopicConfigs[] {
  const describe = topicDescriber(config);
  let inherited: CreatableTopicConfigs[] | undefined;
  const tell = (overrides: TopicOverrides): CreatableTopicConfigs[] =>
    describe(overrides).map(({ name, value, readOnly, source, isSensitive }) =>
      newCreatableTopicConfigs({ name, value, readOnly, configSource: source, isSensitive }),
    );
  return (overrides) => {
    if (overrides.size > 0) return tell(overrides);
    inherited ??= tell(overrides);
    return inherited;
  };
}

function created(topic: CreatedTopic, describe: ReturnType<typeof configsTeller>): CreatableTopicResult {
  return newCreatableTopicResult({
    name: topic.name,
    topicId: topic.id,
    errorMessage: null,
    numPartitions: topic.numPartitions,
    replicationFactor: topic.replicationFactor,
    configs: describe(topic.configs),
  });
}

function refused(name: string, errorCode: ErrorCode, errorMessage?: string): CreatableTopicResult {
  return newCreatableTopicResult({ name, errorCode, errorMessage: errorMessage ?? null });
}
