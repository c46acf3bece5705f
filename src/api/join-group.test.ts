/** The group requests in the order of a member's life, through their handlers. */
import { newJoinGroupRequest, newJoinGroupRequestProtocol } from '../codec/generated/11-join-group';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { joinGroup } from './join-group';

const request = (memberId = '') =>
  newJoinGroupRequest({
    groupId: 'g',
    memberId,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    protocolType: 'consumer',
    protocols: [newJoinGroupRequestProtocol({ name: 'range', metadata: Buffer.from('x') })],
  });

describe('joinGroup', () => {
  it('parks the request until the round ends', async () => {
    const { context, groupBroker } = await startGroupContexts();
    const first = await answerOf(joinGroup(context(9), request()));
    expect(first.errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
    const joining = answerOf(joinGroup(context(9), request(first.memberId)));
    await groupBroker.clock.advance(0);
    const joined = await joining;
    expect(joined).toMatchObject({
      errorCode: ErrorCode.NONE,
      generationId: 1,
      protocolType: 'consumer',
      protocolName: 'range',
      leader: first.memberId,
      memberId: first.memberId,
      skipAssignment: false,
    });
    expect(joined.members.map(({ metadata }) => metadata.toString())).toEqual(['x']);
  });

  it('keeps the version in mind: before 4 there is no second round', async () => {
    const { context, groupBroker } = await startGroupContexts();
    const joining = answerOf(joinGroup(context(3), request()));
    await groupBroker.clock.advance(0);
    expect(await joining).toMatchObject({ errorCode: ErrorCode.NONE, memberId: expect.stringMatching(/^client-/) });
  });
});
