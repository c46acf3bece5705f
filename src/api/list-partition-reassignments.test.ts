/** ListPartitionReassignments: never anything. */
import { newListPartitionReassignmentsRequest } from '../codec/generated/46-list-partition-reassignments';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { listPartitionReassignments } from './list-partition-reassignments';

it('lists nothing', async () => {
  const answer = answerOf(listPartitionReassignments(handlerContext(), newListPartitionReassignmentsRequest()));
  expect(await answer).toMatchObject({ errorCode: 0, errorMessage: null, topics: [] });
});
