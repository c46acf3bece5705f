/**
 * DescribeUserScramCredentials (key 50), version 0 (KIP-554): nobody has SCRAM credentials here, and the answer is
 * Kafka's for a broker that has none. `kafka-configs` asks this whenever it describes users, for their quotas too.
 *
 * - Without names: all users that have credentials, so none. A name has none: RESOURCE_NOT_FOUND; a name that occurs
 *   twice: DUPLICATE_RESOURCE, once.
 */
import {
  type DescribeUserScramCredentialsRequest,
  type DescribeUserScramCredentialsResponse,
  newDescribeUserScramCredentialsResponse,
  newDescribeUserScramCredentialsResult,
} from '../codec/generated/50-describe-user-scram-credentials';
import { ErrorCode } from '../codec/generated/errors';
import { duplicates } from './duplicates';
import type { Handler } from './request-context';

export const describeUserScramCredentials: Handler<
  DescribeUserScramCredentialsRequest,
  DescribeUserScramCredentialsResponse
> = (_, { users }) => {
  const names = users?.map(({ name }) => name) ?? [];
  const twice = duplicates(names);
  const results = [...new Set(names)].map((user) => {
    const isTwice = twice.has(user);
    return newDescribeUserScramCredentialsResult({
      user,
      errorCode: isTwice ? ErrorCode.DUPLICATE_RESOURCE : ErrorCode.RESOURCE_NOT_FOUND,
      errorMessage: isTwice
        ? `Cannot describe SCRAM credentials for the same user twice in a single request: ${user}`
        : `Attempt to describe a user credential that does not exist: ${user}`,
    });
  });
  return newDescribeUserScramCredentialsResponse({ results });
};
