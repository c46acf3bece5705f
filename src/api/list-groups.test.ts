/** ListGroups: the handler passes the filters on. */
import { newListGroupsRequest } from '../codec/generated/16-list-groups';
import { commitFor } from '../testing/group-commit';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { listGroups } from './list-groups';

describe('listGroups', () => {
  it('lists groups that only commit', async () => {
    const contexts = await startGroupContexts(2);
    await commitFor(contexts, 'a');
    await commitFor(contexts, 'b');
    const all = await answerOf(listGroups(contexts.context(5), newListGroupsRequest()));
    const one = { protocolType: '', groupState: 'Empty', groupType: 'classic' };
    expect(all.groups.map(({ groupId }) => groupId).sort()).toEqual(['a', 'b']);
    expect(all.groups).toMatchObject([one, one]);
    const none = await answerOf(listGroups(contexts.context(5), newListGroupsRequest({ statesFilter: ['Stable'] })));
    expect(none.groups).toEqual([]);
  });
});
