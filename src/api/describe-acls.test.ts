/** DescribeAcls: what Kafka answers where security is not set up. */
import { newDescribeAclsRequest } from '../codec/generated/29-describe-acls';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { describeAcls } from './describe-acls';

it('describes none: there is no authorizer', async () => {
  const answer = await answerOf(describeAcls(handlerContext(), newDescribeAclsRequest()));
  expect(answer).toMatchObject({
    errorCode: 54,
    errorMessage: 'No Authorizer is configured on the broker',
    resources: [],
  });
});
