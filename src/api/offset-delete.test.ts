/** OffsetDelete: which partitions exist, and errors of the group. */
import {
  newOffsetDeleteRequest,
  newOffsetDeleteRequestPartition,
  newOffsetDeleteRequestTopic,
} from '../codec/generated/47-offset-delete';
import { ErrorCode } from '../codec/generated/errors';
import { commitFor } from '../testing/group-commit';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { offsetDelete } from './offset-delete';

const topic = (name: string, ...partitions: number[]) =>
  newOffsetDeleteRequestTopic({
    name,
    partitions: partitions.map((partitionIndex) => newOffsetDeleteRequestPartition({ partitionIndex })),
  });

describe('offsetDelete', () => {
  it('answers each partition, in the order of the request', async () => {
    const contexts = await startGroupContexts();
    await contexts.createTopic('t', 2);
    await commitFor(contexts, 'g');
    const topics = [topic('none', 0), topic('t', 5, 0, 1)];
    const request = newOffsetDeleteRequest({ groupId: 'g', topics });
    const response = await answerOf(offsetDelete(contexts.context(0), request));
    const UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    expect(response.errorCode).toBe(ErrorCode.NONE);
    expect(response.topics.map(({ name, partitions }) => [name, partitions.map((p) => p.errorCode)])).toEqual([
      ['none', [UNKNOWN]],
      ['t', [UNKNOWN, 0, 0]],
    ]);
    const all = await contexts.groupBroker.groups.describeGroups({ apiVersion: 5, clientId: '', clientHost: '' }, [
      'g',
    ]);
    expect(all[0]?.groupState).toBe('Dead');
  });

  it('has the error of the group at the top', async () => {
    const contexts = await startGroupContexts();
    await contexts.createTopic('t');
    const request = newOffsetDeleteRequest({ groupId: 'none', topics: [topic('t', 0)] });
    expect(await answerOf(offsetDelete(contexts.context(0), request))).toMatchObject({
      errorCode: ErrorCode.GROUP_ID_NOT_FOUND,
      topics: [],
    });
  });
});
