/** DescribeUserScramCredentials of a broker where nobody has any. */
import {
  newDescribeUserScramCredentialsRequest,
  newUserName,
} from '../codec/generated/50-describe-user-scram-credentials';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { describeUserScramCredentials } from './describe-user-scram-credentials';

async function describeUsers(names: readonly string[] | null) {
  const users = names?.map((name) => newUserName({ name })) ?? null;
  const request = newDescribeUserScramCredentialsRequest({ users });
  const { errorCode, results } = await answerOf(describeUserScramCredentials(handlerContext(), request));
  expect(errorCode).toBe(ErrorCode.NONE);
  return results.map((result) => [result.user, result.errorCode, result.credentialInfos.length]);
}

it('knows nobody, and says so of each name once', async () => {
  expect(await describeUsers(null)).toEqual([]);
  expect(await describeUsers([])).toEqual([]);
  expect(await describeUsers(['a', 'b', 'a'])).toEqual([
    ['a', ErrorCode.DUPLICATE_RESOURCE, 0],
    ['b', ErrorCode.RESOURCE_NOT_FOUND, 0],
  ]);
});
