/** RenewDelegationToken: what Kafka answers where security is not set up. */
import { newRenewDelegationTokenRequest } from '../codec/generated/39-renew-delegation-token';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { renewDelegationToken } from './renew-delegation-token';

it('is refused without SASL', async () => {
  const answer = await answerOf(renewDelegationToken(handlerContext(), newRenewDelegationTokenRequest()));
  expect(answer).toMatchObject({ errorCode: 64, expiryTimestampMs: -1 });
});
