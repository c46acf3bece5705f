/** CreateDelegationToken: what Kafka answers where security is not set up. */
import { newCreateDelegationTokenRequest } from '../codec/generated/38-create-delegation-token';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { createDelegationToken } from './create-delegation-token';

const REQUESTER = { tokenRequesterPrincipalType: 'User', tokenRequesterPrincipalName: 'ANONYMOUS' };

it('is refused without SASL, and names the owner as asked', async () => {
  const answer = await answerOf(
    createDelegationToken(handlerContext({ apiVersion: 3 }), newCreateDelegationTokenRequest()),
  );
  expect(answer).toMatchObject({ errorCode: 64, principalName: 'ANONYMOUS', maxTimestampMs: -1, ...REQUESTER });
  const named = newCreateDelegationTokenRequest({ ownerPrincipalType: 'User', ownerPrincipalName: 'a' });
  const answerToNamed = await answerOf(createDelegationToken(handlerContext({ apiVersion: 3 }), named));
  expect(answerToNamed).toMatchObject({ errorCode: 64, principalType: 'User', principalName: 'a', ...REQUESTER });
});
