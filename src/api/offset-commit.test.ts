/** OffsetCommit: which partitions exist, by name and by id, and the order of the answer. */
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
} from '../codec/generated/08-offset-commit';
import { newOffsetFetchRequestGroup } from '../codec/generated/09-offset-fetch';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { offsetCommit } from './offset-commit';

const topic = (names: { name?: string; topicId?: string }, ...partitions: number[]) =>
  newOffsetCommitRequestTopic({
    ...names,
    partitions: partitions.map((partitionIndex) =>
      newOffsetCommitRequestPartition({ partitionIndex, committedOffset: 5 }),
    ),
  });

async function setUp() {
  const contexts = await startGroupContexts();
  const id = await contexts.createTopic('t', 2);
  const commit = async (version: number, topics: ReturnType<typeof topic>[], generationId = -1) => {
    const request = newOffsetCommitRequest({ groupId: 'g', generationIdOrMemberEpoch: generationId, topics });
    const response = await answerOf(offsetCommit(contexts.context(version), request));
    return response.topics.map((each) => ({
      name: each.name,
      topicId: each.topicId,
      codes: each.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]),
    }));
  };
  const kept = async () => {
    const group = newOffsetFetchRequestGroup({ groupId: 'g', topics: null });
    const { topics } = await contexts.groupBroker.groups.fetchOffsets(group, false);
    return topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }) => `${name}-${partitionIndex}`),
    );
  };
  return { ...contexts, id, commit, kept };
}

const UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;

describe('offsetCommit', () => {
  it('keeps what exists and refuses the rest, in the order of the request', async () => {
    const { commit, kept } = await setUp();
    const topics = [topic({ name: 'none' }, 0), topic({ name: 't' }, 7, 1, -1, 0)];
    const answers = await commit(8, topics);
    expect(answers.map(({ name, codes }) => [name, codes])).toEqual([
      ['none', [[0, UNKNOWN]]],
      [
        't',
        [
          [7, UNKNOWN],
          [1, 0],
          [-1, UNKNOWN],
          [0, 0],
        ],
      ],
    ]);
    expect(await kept()).toEqual(['t-1', 't-0']);
  });

  it('does not ask the coordinator when nothing exists', async () => {
    const { commit, groupBroker } = await setUp();
    groupBroker.groups.close();
    expect((await commit(8, [topic({ name: 'none' }, 0)]))[0]?.codes).toEqual([[0, UNKNOWN]]);
  });

  it('tells the error of the group for the partitions that exist', async () => {
    const { commit } = await setUp();
    const answers = await commit(9, [topic({ name: 't' }, 0, 9)], 3);
    expect(answers[0]?.codes).toEqual([
      [0, ErrorCode.GROUP_ID_NOT_FOUND],
      [9, UNKNOWN],
    ]);
  });

  it('knows topics by id from version 10', async () => {
    const { commit, kept, id } = await setUp();
    const strange = 'AAECAwQFBgcICQoLDA0ODw';
    const answers = await commit(10, [topic({ topicId: strange }, 0), topic({ topicId: id }, 0, 5)]);
    expect(answers.map(({ topicId, codes }) => [topicId, codes])).toEqual([
      [strange, [[0, ErrorCode.UNKNOWN_TOPIC_ID]]],
      [
        id,
        [
          [0, 0],
          [5, UNKNOWN],
        ],
      ],
    ]);
    expect(await kept()).toEqual(['t-0']);
  });

  it('takes version 0, which has no members', async () => {
    const { commit, kept } = await setUp();
    expect((await commit(0, [topic({ name: 't' }, 0)]))[0]?.codes).toEqual([[0, 0]]);
    expect(await kept()).toEqual(['t-0']);
  });
});
