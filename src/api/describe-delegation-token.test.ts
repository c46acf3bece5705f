/** DescribeDelegationToken: what Kafka answers where security is not set up. */
import { newDescribeDelegationTokenRequest } from '../codec/generated/41-describe-delegation-token';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { describeDelegationToken } from './describe-delegation-token';

it('is refused without SASL', async () => {
  const answer = await answerOf(describeDelegationToken(handlerContext(), newDescribeDelegationTokenRequest()));
  expect(answer).toMatchObject({ errorCode: 64, tokens: [] });
});
