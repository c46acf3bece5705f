/** SyncGroup: the handler passes version and request on. */
import { newSyncGroupRequest } from '../codec/generated/14-sync-group';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { syncGroup } from './sync-group';

describe('syncGroup', () => {
  it.each([
    [4, ErrorCode.UNKNOWN_MEMBER_ID],
    [5, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ])('version %i without a protocol', async (version, errorCode) => {
    const { context } = await startGroupContexts();
    const request = newSyncGroupRequest({ groupId: 'g', memberId: 'm', generationId: 1 });
    expect(await answerOf(syncGroup(context(version), request))).toMatchObject({ errorCode });
  });
});
