/** ElectLeaders: named partitions, all of them, an unknown type. */
import { newElectLeadersRequest, newTopicPartitions } from '../codec/generated/43-elect-leaders';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { electLeaders } from './elect-leaders';

async function elect(apiVersion: number, electionType: number, partitions: number[] | null) {
  const broker = await startMetadataBroker();
  await broker.controller.createTopics([newTopic('t')], { validateOnly: false });
  const topicPartitions = partitions && [newTopicPartitions({ topic: 't', partitions })];
  const request = newElectLeadersRequest({ electionType, topicPartitions });
  return answerOf(electLeaders(metadataContext(broker, { apiVersion }), request));
}

it('answers each partition that is named', async () => {
  const { errorCode, replicaElectionResults } = await elect(2, 0, [0, 9]);
  expect([errorCode, replicaElectionResults[0]?.topic]).toEqual([0, 't']);
  expect(replicaElectionResults[0]?.partitionResult.map((each) => [each.partitionId, each.errorCode])).toEqual([
    [0, ErrorCode.ELECTION_NOT_NEEDED],
    [9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
  ]);
});

it('leaves out what needs none where all are asked for', async () => {
  expect((await elect(2, 1, null)).replicaElectionResults).toEqual([{ topic: 't', partitionResult: [] }]);
});

it('knows two types', async () => {
  const answer = await elect(1, 5, [0]);
  const refused = { errorCode: ErrorCode.INVALID_REQUEST, errorMessage: 'Unknown election type 5' };
  expect(answer).toMatchObject({ errorCode: ErrorCode.INVALID_REQUEST });
  expect(answer.replicaElectionResults[0]?.partitionResult).toEqual([{ partitionId: 0, ...refused }]);
  expect((await elect(1, 5, null)).replicaElectionResults).toEqual([]);
});
