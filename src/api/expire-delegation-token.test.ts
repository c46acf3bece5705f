/** ExpireDelegationToken: what Kafka answers where security is not set up. */
import { newExpireDelegationTokenRequest } from '../codec/generated/40-expire-delegation-token';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { expireDelegationToken } from './expire-delegation-token';

it('is refused without SASL', async () => {
  const answer = await answerOf(expireDelegationToken(handlerContext(), newExpireDelegationTokenRequest()));
  expect(answer).toMatchObject({ errorCode: 64, expiryTimestampMs: -1 });
});
