/**
 * CreatePartitions (key 37), versions 0 to 3: `count` is how many partitions the topic shall have in all.
 * Answered when the new leaders serve. A topic that occurs twice is refused once, with INVALID_REQUEST. A quota of
 * topic changes (KIP-599) refuses topics from version 3 on; before, it makes the client pause.
 */
import {
  type CreatePartitionsRequest,
  type CreatePartitionsResponse,
  newCreatePartitionsResponse,
  newCreatePartitionsTopicResult,
} from '../codec/generated/37-create-partitions';
import { ErrorCode } from '../codec/generated/errors';
import { duplicates } from './duplicates';
import type { Handler } from './request-context';

const FIRST_WITH_QUOTA_ERROR = 3;

export const createPartitions: Handler<CreatePartitionsRequest, CreatePartitionsResponse> = async (
  { broker, throttle, apiVersion },
  request,
) => {
  const twice = duplicates(request.topics.map((topic) => topic.name));
  const once = request.topics.filter((topic) => !twice.has(topic.name));
  const { validateOnly } = request;
  const quota = throttle.mutations(apiVersion >= FIRST_WITH_QUOTA_ERROR ? 'strict' : 'permissive');
  const outcomes = await broker.controller.createPartitions(
    once.map(({ name, count, assignments }) => ({
      name,
      totalCount: count,
      assignments: assignments?.map((assignment) => assignment.brokerIds) ?? null,
    })),
    { validateOnly, quota },
  );
  const results = outcomes.map((outcome, i) => {
    const { name } = once[i]!;
    if (outcome.ok) return newCreatePartitionsTopicResult({ name });
    return newCreatePartitionsTopicResult({ name, errorCode: outcome.error, errorMessage: outcome.message ?? null });
  });
  for (const name of twice) {
    const errorMessage = 'Duplicate topic name.';
    results.push(newCreatePartitionsTopicResult({ name, errorCode: ErrorCode.INVALID_REQUEST, errorMessage }));
  }
  return newCreatePartitionsResponse({ results });
};
