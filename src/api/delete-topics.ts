/**
 * DeleteTopics (key 20), versions 0 to 6.
 *
 * - A topic is answered NONE when its logs are gone: it can be created anew at once, and is then another topic.
 * - From version 6 on by name or by id (KIP-516), never both; an id that is not known is UNKNOWN_TOPIC_ID.
 * - With `delete.topic.enable=false` all is refused: INVALID_REQUEST before version 3, then TOPIC_DELETION_DISABLED.
 * - A quota of topic changes (KIP-599) refuses topics from version 5 on; before, it makes the client pause.
 * - What occurs twice, be it once by name and once by id, is refused once, with INVALID_REQUEST.
 */
import { ZERO_UUID } from '../base/random';
import type { MetadataImage } from '../cluster/metadata-image';
import {
  type DeletableTopicResult,
  type DeleteTopicState,
  type DeleteTopicsRequest,
  type DeleteTopicsResponse,
  newDeletableTopicResult,
  newDeleteTopicsResponse,
} from '../codec/generated/20-delete-topics';
import { ErrorCode } from '../codec/generated/errors';
import { duplicates } from './duplicates';
import type { Handler, RequestContext } from './request-context';

const FIRST_WITH_QUOTA_ERROR = 5;

/** A topic that can be deleted, or why not. */
interface Candidate {
  readonly name: string | null;
  readonly topicId: string;
  readonly errorCode: ErrorCode;
  readonly errorMessage?: string;
}

export const deleteTopics: Handler<DeleteTopicsRequest, DeleteTopicsResponse> = async (context, request) => {
  const { broker, apiVersion, throttle } = context;
  const wanted = apiVersion < 6 ? request.topicNames.map((name) => ({ name, topicId: ZERO_UUID })) : request.topics;
  if (!broker.config.get('delete.topic.enable')) {
    return newDeleteTopicsResponse({ responses: wanted.map((state) => disabled(state, context)) });
  }
  const candidates = withoutDuplicates(wanted.map((state) => candidate(state, broker.metadata.image)));
  const deletable = candidates.filter(({ errorCode }) => errorCode === ErrorCode.NONE);
  const results = await broker.controller.deleteTopics(
    deletable.map(({ name }) => name!),
    { quota: throttle.mutations(apiVersion >= FIRST_WITH_QUOTA_ERROR ? 'strict' : 'permissive') },
  );
  const responses = candidates.filter(({ errorCode }) => errorCode !== ErrorCode.NONE).map(response);
  deletable.forEach((topic, i) => {
    const result = results[i]!;
    responses.push(result.ok ? response(topic) : response({ ...topic, ...failure(result.error, result.message) }));
  });
  return newDeleteTopicsResponse({ responses });
};

function failure(errorCode: ErrorCode, errorMessage?: string): Pick<Candidate, 'errorCode' | 'errorMessage'> {
  return errorMessage === undefined ? { errorCode } : { errorCode, errorMessage };
}

function disabled({ name, topicId }: DeleteTopicState, { apiVersion }: RequestContext): DeletableTopicResult {
  const errorCode = apiVersion < 3 ? ErrorCode.INVALID_REQUEST : ErrorCode.TOPIC_DELETION_DISABLED;
  return response({ name, topicId, errorCode, errorMessage: 'Topic deletion is disabled.' });
}

/** Only names that exist are answered with the topic's id, and only ids that exist with its name. */
function candidate({ name, topicId }: DeleteTopicState, image: MetadataImage): Candidate {
  if (name === null) {
    if (topicId === ZERO_UUID) {
      return { name, topicId, ...failure(ErrorCode.INVALID_REQUEST, 'Neither topic name nor id were specified.') };
    }
    const topic = image.topicById(topicId);
    return topic
      ? { name: topic.name, topicId, errorCode: ErrorCode.NONE }
      : { name, topicId, ...failure(ErrorCode.UNKNOWN_TOPIC_ID, 'This server does not host this topic ID.') };
  }
  if (topicId !== ZERO_UUID) {
    return {
      name,
      topicId,
      ...failure(ErrorCode.INVALID_REQUEST, 'You may not specify both topic name and topic id.'),
    };
  }
  const topic = image.topic(name);
  if (topic) return { name, topicId: topic.id, errorCode: ErrorCode.NONE };
  const message = 'This server does not host this topic-partition.';
  return { name, topicId, ...failure(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message) };
}

/** What occurs more than once becomes one refusal. */
function withoutDuplicates(candidates: readonly Candidate[]): Candidate[] {
  const keyOf = ({ name, topicId }: Candidate): string => name ?? topicId;
  const twice = duplicates(candidates.map(keyOf));
  const once = candidates.filter((topic) => !twice.has(keyOf(topic)));
  for (const key of twice) {
    const { name, topicId } = candidates.find((topic) => keyOf(topic) === key)!;
    once.push({
      name,
      topicId,
      ...failure(ErrorCode.INVALID_REQUEST, `Duplicate topic ${name === null ? 'id' : 'name'}.`),
    });
  }
  return once;
}

function response({ name, topicId, errorCode, errorMessage }: Candidate): DeletableTopicResult {
  return newDeletableTopicResult({ name, topicId, errorCode, errorMessage: errorMessage ?? null });
}
