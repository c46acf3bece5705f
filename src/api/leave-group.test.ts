/** LeaveGroup: the old form and the batch. */
import { newLeaveGroupRequest, newMemberIdentity } from '../codec/generated/13-leave-group';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { leaveGroup } from './leave-group';

describe('leaveGroup', () => {
  it('answers at the top up to version 2, for each member after that', async () => {
    const { context } = await startGroupContexts();
    const old = newLeaveGroupRequest({ groupId: 'g', memberId: 'm' });
    expect(await answerOf(leaveGroup(context(2), old))).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_MEMBER_ID,
      members: [],
    });
    const batch = newLeaveGroupRequest({ groupId: 'g', members: [newMemberIdentity({ memberId: 'm' })] });
    expect(await answerOf(leaveGroup(context(3), batch))).toMatchObject({
      errorCode: ErrorCode.NONE,
      members: [{ memberId: 'm', errorCode: ErrorCode.UNKNOWN_MEMBER_ID }],
    });
  });
});
