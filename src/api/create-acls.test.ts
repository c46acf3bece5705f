/** CreateAcls: what Kafka answers where security is not set up. */
import { newAclCreation, newCreateAclsRequest } from '../codec/generated/30-create-acls';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { createAcls } from './create-acls';

const REFUSED = { errorCode: 54, errorMessage: 'No Authorizer is configured.' };

it('refuses each one: there is no authorizer', async () => {
  const answer = await answerOf(
    createAcls(handlerContext(), newCreateAclsRequest({ creations: [newAclCreation(), newAclCreation()] })),
  );
  expect(answer).toMatchObject({ results: [REFUSED, REFUSED] });
});
