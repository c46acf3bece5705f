/** DeleteGroups: each group once, in order. */
import { newDeleteGroupsRequest } from '../codec/generated/42-delete-groups';
import { ErrorCode } from '../codec/generated/errors';
import { commitFor } from '../testing/group-commit';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { deleteGroups } from './delete-groups';

describe('deleteGroups', () => {
  it('deletes what is named, once', async () => {
    const contexts = await startGroupContexts(2);
    await commitFor(contexts, 'a');
    await commitFor(contexts, 'b');
    const request = newDeleteGroupsRequest({ groupsNames: ['b', 'none', 'a', 'b'] });
    const { results } = await answerOf(deleteGroups(contexts.context(2), request));
    expect(results.map(({ groupId, errorCode }) => [groupId, errorCode])).toEqual([
      ['b', ErrorCode.NONE],
      ['none', ErrorCode.GROUP_ID_NOT_FOUND],
      ['a', ErrorCode.NONE],
    ]);
  });
});
