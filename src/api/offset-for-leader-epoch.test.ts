/** OffsetForLeaderEpoch over real replicas in memory. */
import {
  newOffsetForLeaderEpochRequest,
  newOffsetForLeaderPartition,
  newOffsetForLeaderTopic,
} from '../codec/generated/23-offset-for-leader-epoch';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { testBatch } from '../testing/replica-fixture';
import { offsetForLeaderEpoch } from './offset-for-leader-epoch';

describe('OffsetForLeaderEpoch', () => {
  it.each([0, 1, 2, 3, 4])('says where epochs end, version %d', async (version) => {
    const broker = await startDataBroker();
    await broker.createTopic('t');
    const entries = [{ topic: 't', partition: 0, records: testBatch(3) }];
    const { replicaManager } = broker.replicas;
    const request = { requiredAcks: -1, origin: 'client' as const, internalTopicsAllowed: false, entries };
    await replicaManager.append(request).promise();
    const epoch = broker.replicas.broker.metadata.image.partition('t', 0)!.leaderEpoch;
    const ask = async (topic: string, leaderEpoch: number, currentLeaderEpoch = -1): Promise<unknown> => {
      const partitions = [newOffsetForLeaderPartition({ partition: 0, leaderEpoch, currentLeaderEpoch })];
      const topics = [newOffsetForLeaderTopic({ topic, partitions })];
      const request = newOffsetForLeaderEpochRequest({ topics });
      const response = await answerOf(offsetForLeaderEpoch(broker.context(version), request));
      apis.OffsetForLeaderEpoch.encodeResponse(new Writer(), response, version);
      const answer = response.topics[0]!.partitions[0]!;
      return [answer.errorCode, answer.leaderEpoch, answer.endOffset];
    };
    expect(await ask('t', epoch)).toEqual([0, epoch, 3]);
    expect(await ask('missing', 0)).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1]);
    expect(await ask('t', epoch, epoch + 1)).toEqual([ErrorCode.UNKNOWN_LEADER_EPOCH, -1, -1]);
    expect(await ask('t', epoch + 5)).toEqual([0, -1, -1]);
  });
});
