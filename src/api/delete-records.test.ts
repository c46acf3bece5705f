/** DeleteRecords over real replicas in memory. */
import {
  newDeleteRecordsPartition,
  newDeleteRecordsRequest,
  newDeleteRecordsTopic,
} from '../codec/generated/21-delete-records';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { testBatch } from '../testing/replica-fixture';
import { deleteRecords } from './delete-records';

describe('DeleteRecords', () => {
  it.each([0, 1, 2])('moves the log start, version %d', async (version) => {
    const broker = await startDataBroker();
    await broker.createTopic('t', { partitions: 2, configs: { 'retention.ms': '-1' } });
    await broker.createTopic('c', { configs: { 'cleanup.policy': 'compact' } });
    const entries = [{ topic: 't', partition: 0, records: testBatch(5) }];
    const { replicaManager } = broker.replicas;
    const request = { requiredAcks: -1, origin: 'client' as const, internalTopicsAllowed: false, entries };
    await replicaManager.append(request).promise();
    const ask = async (topic: string, ...wanted: [partition: number, offset: number][]): Promise<unknown> => {
      const partitions = wanted.map(([partitionIndex, offset]) =>
        newDeleteRecordsPartition({ partitionIndex, offset }),
      );
      const request = newDeleteRecordsRequest({ topics: [newDeleteRecordsTopic({ name: topic, partitions })] });
      const response = await answerOf(deleteRecords(broker.context(version), request));
      apis.DeleteRecords.encodeResponse(new Writer(), response, version);
      return response.topics[0]!.partitions.map((one) => [one.partitionIndex, one.errorCode, one.lowWatermark]);
    };
    expect(await ask('t', [0, 2], [1, 1], [7, 0])).toEqual([
      [0, 0, 2],
      [1, ErrorCode.OFFSET_OUT_OF_RANGE, -1],
      [7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
    ]);
    expect(await ask('t', [0, 1])).toEqual([[0, 0, 2]]);
    expect(await ask('t', [0, 6])).toEqual([[0, ErrorCode.OFFSET_OUT_OF_RANGE, -1]]);
    expect(await ask('t', [0, -1])).toEqual([[0, 0, 5]]);
    expect(await ask('c', [0, 0])).toEqual([[0, ErrorCode.POLICY_VIOLATION, -1]]);
  });
});
