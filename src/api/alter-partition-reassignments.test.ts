/** AlterPartitionReassignments: each partition for itself, by the version's shape. */
import {
  newAlterPartitionReassignmentsRequest,
  newReassignablePartition,
  newReassignableTopic,
} from '../codec/generated/45-alter-partition-reassignments';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { alterPartitionReassignments } from './alter-partition-reassignments';

it('takes the present assignment and refuses others', async () => {
  const broker = await startMetadataBroker();
  await broker.controller.createTopics([newTopic('t', { numPartitions: 3 })], { validateOnly: false });
  const partitions = [[1], [2], null].map((replicas, partitionIndex) =>
    newReassignablePartition({ partitionIndex, replicas }),
  );
  const topics = [newReassignableTopic({ name: 't', partitions })];
  const request = newAlterPartitionReassignmentsRequest({ topics, allowReplicationFactorChange: false });
  const answer = await answerOf(alterPartitionReassignments(metadataContext(broker, { apiVersion: 1 }), request));
  expect(answer).toMatchObject({ errorCode: 0, errorMessage: null, allowReplicationFactorChange: false });
  expect(answer.responses[0]?.partitions.map((each) => [each.partitionIndex, each.errorCode])).toEqual([
    [0, ErrorCode.NONE],
    [1, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    [2, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS],
  ]);
});
