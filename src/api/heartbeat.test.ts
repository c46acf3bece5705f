/** Heartbeat: the handler passes the request on. */
import { newHeartbeatRequest } from '../codec/generated/12-heartbeat';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { heartbeat } from './heartbeat';

describe('heartbeat', () => {
  it('of a stranger', async () => {
    const { context } = await startGroupContexts();
    const request = newHeartbeatRequest({ groupId: 'g', memberId: 'm', generationId: 1 });
    expect(await answerOf(heartbeat(context(4), request))).toMatchObject({ errorCode: ErrorCode.UNKNOWN_MEMBER_ID });
  });
});
