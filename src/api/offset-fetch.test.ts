/** OffsetFetch in its three forms: one group, several groups, topics by id. */
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
} from '../codec/generated/08-offset-commit';
import {
  newOffsetFetchRequest,
  newOffsetFetchRequestGroup,
  newOffsetFetchRequestTopic,
  newOffsetFetchRequestTopics,
} from '../codec/generated/09-offset-fetch';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { offsetFetch } from './offset-fetch';

/** Group g has 5 for t-0 and 6 for the topic `gone`, which does not exist. */
async function setUp() {
  const contexts = await startGroupContexts();
  const id = await contexts.createTopic('t', 2);
  const committed = (name: string, committedOffset: number) =>
    newOffsetCommitRequestTopic({ name, partitions: [newOffsetCommitRequestPartition({ committedOffset })] });
  const request = newOffsetCommitRequest({ groupId: 'g', topics: [committed('t', 5), committed('gone', 6)] });
  await contexts.groupBroker.groups.commitOffsets({ apiVersion: 8, clientId: 'c', clientHost: '/h' }, request);
  return { ...contexts, id };
}

const LOADING = ErrorCode.NOT_COORDINATOR;

describe('offsetFetch', () => {
  it.each([0, 1, 2, 7])('version %i: one group', async (version) => {
    const { context } = await setUp();
    const topics = [newOffsetFetchRequestTopic({ name: 't', partitionIndexes: [1, 0] })];
    const response = await answerOf(offsetFetch(context(version), newOffsetFetchRequest({ groupId: 'g', topics })));
    expect(response).toMatchObject({ errorCode: 0, groups: [] });
    expect(response.topics).toMatchObject([
      {
        name: 't',
        partitions: [
          { partitionIndex: 1, committedOffset: -1, metadata: '', errorCode: 0 },
          { partitionIndex: 0, committedOffset: 5, metadata: '', errorCode: 0 },
        ],
      },
    ]);
  });

  it('gives all offsets where no topic is named', async () => {
    const { context } = await setUp();
    const request = newOffsetFetchRequest({ groupId: 'g', topics: null });
    const { topics } = await answerOf(offsetFetch(context(2), request));
    expect(topics.map(({ name }) => name)).toEqual(['t', 'gone']);
  });

  it('has the error of the group at the top from version 2, at each partition before', async () => {
    const { context, groupBroker } = await setUp();
    groupBroker.groups.close();
    const topics = [newOffsetFetchRequestTopic({ name: 't', partitionIndexes: [0] })];
    const request = newOffsetFetchRequest({ groupId: 'g', topics });
    expect(await answerOf(offsetFetch(context(2), request))).toMatchObject({ errorCode: LOADING, topics: [] });
    expect((await answerOf(offsetFetch(context(1), request))).topics).toMatchObject([
      { name: 't', partitions: [{ partitionIndex: 0, committedOffset: -1, errorCode: LOADING }] },
    ]);
  });

  it('answers several groups, each in its block', async () => {
    const { context } = await setUp();
    const topics = [newOffsetFetchRequestTopics({ name: 't', partitionIndexes: [0] })];
    const groups = ['g', 'h'].map((groupId) => newOffsetFetchRequestGroup({ groupId, topics }));
    const response = await answerOf(offsetFetch(context(8), newOffsetFetchRequest({ groups })));
    expect(response.groups).toMatchObject([
      { groupId: 'g', errorCode: 0, topics: [{ partitions: [{ committedOffset: 5 }] }] },
      { groupId: 'h', errorCode: 0, topics: [{ partitions: [{ committedOffset: -1 }] }] },
    ]);
  });

  it('knows topics by id from version 10, and answers in the order asked', async () => {
    const { context, id } = await setUp();
    const strange = 'AAECAwQFBgcICQoLDA0ODw';
    const topics = [strange, id].map((topicId) => newOffsetFetchRequestTopics({ topicId, partitionIndexes: [0] }));
    const groups = [newOffsetFetchRequestGroup({ groupId: 'g', topics })];
    const response = await answerOf(offsetFetch(context(10), newOffsetFetchRequest({ groups })));
    expect(response.groups[0]?.topics).toMatchObject([
      { topicId: strange, partitions: [{ committedOffset: -1, errorCode: ErrorCode.UNKNOWN_TOPIC_ID }] },
      { topicId: id, partitions: [{ committedOffset: 5, errorCode: 0 }] },
    ]);
  });

  it('leaves out of all offsets by id what has no id', async () => {
    const { context, id } = await setUp();
    const groups = [newOffsetFetchRequestGroup({ groupId: 'g', topics: null })];
    const response = await answerOf(offsetFetch(context(10), newOffsetFetchRequest({ groups })));
    expect(response.groups[0]?.topics.map(({ topicId }) => topicId)).toEqual([id]);
  });

  it('has the error of the group by id too', async () => {
    const { context, groupBroker } = await setUp();
    groupBroker.groups.close();
    const groups = [newOffsetFetchRequestGroup({ groupId: 'g', topics: null })];
    const response = await answerOf(offsetFetch(context(10), newOffsetFetchRequest({ groups })));
    expect(response.groups).toMatchObject([{ groupId: 'g', errorCode: LOADING, topics: [] }]);
  });
});
