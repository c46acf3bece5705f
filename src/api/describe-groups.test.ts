/** DescribeGroups: order, unknown groups by version, allowed operations. */

import { newJoinGroupRequest } from '../codec/generated/11-join-group';
import { newDescribeGroupsRequest } from '../codec/generated/15-describe-groups';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { describeGroups } from './describe-groups';
import { joinGroup } from './join-group';

describe('describeGroups', () => {
  it('has one entry per group, with its members and their hosts', async () => {
    const { context, groupBroker } = await startGroupContexts(3);
    const protocols = [{ name: 'range', metadata: Buffer.from('x') }];
    const request = newJoinGroupRequest({ groupId: 'g', sessionTimeoutMs: 6000, protocolType: 'consumer', protocols });
    const joining = answerOf(joinGroup(context(3), request));
    await groupBroker.clock.advance(0);
    await joining;
    const { groups } = await answerOf(
      describeGroups(context(5), newDescribeGroupsRequest({ groups: ['none', 'g', ''] })),
    );
    expect(groups).toMatchObject([
      { groupId: 'none', groupState: 'Dead', errorCode: 0, members: [] },
      { groupId: 'g', groupState: 'CompletingRebalance', members: [{ clientId: 'client', clientHost: '/10.0.0.9' }] },
      { groupId: '', groupState: 'Dead' },
    ]);
  });

  it('does not find unknown groups from version 6', async () => {
    const { context } = await startGroupContexts();
    const request = newDescribeGroupsRequest({ groups: ['none'], includeAuthorizedOperations: true });
    const { groups } = await answerOf(describeGroups(context(6), request));
    expect(groups).toMatchObject([
      { groupState: 'Dead', errorCode: ErrorCode.GROUP_ID_NOT_FOUND, authorizedOperations: -2147483648 },
    ]);
  });

  it('tells what is allowed where it is asked: everything', async () => {
    const { context } = await startGroupContexts();
    const request = newDescribeGroupsRequest({ groups: ['g'], includeAuthorizedOperations: true });
    const { groups } = await answerOf(describeGroups(context(5), request));
    expect(groups[0]?.authorizedOperations).toBe(3400);
  });
});
