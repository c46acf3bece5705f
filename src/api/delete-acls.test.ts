/** DeleteAcls: what Kafka answers where security is not set up. */
import { newDeleteAclsFilter, newDeleteAclsRequest } from '../codec/generated/31-delete-acls';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { deleteAcls } from './delete-acls';

const REFUSED = { errorCode: 54, errorMessage: 'No Authorizer is configured.' };

it('refuses each filter: there is no authorizer', async () => {
  const answer = await answerOf(
    deleteAcls(handlerContext(), newDeleteAclsRequest({ filters: [newDeleteAclsFilter(), newDeleteAclsFilter()] })),
  );
  expect(answer).toMatchObject({ filterResults: [REFUSED, REFUSED] });
});
