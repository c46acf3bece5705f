/** AlterReplicaLogDirs: answers by topic; of several directories the last one counts. */
import {
  newAlterReplicaLogDir,
  newAlterReplicaLogDirsRequest,
  newAlterReplicaLogDirTopic,
} from '../codec/generated/34-alter-replica-log-dirs';
import { ErrorCode } from '../codec/generated/errors';
import type { ReplicaManager } from '../replication/replica-manager';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { alterReplicaLogDirs } from './alter-replica-log-dirs';

it('moves each partition once, to the directory that is named last, and answers by topic', async () => {
  const asked: string[] = [];
  const replicaManager = {
    alterLogDir: async ({ topic, partition }, path) => {
      asked.push(`${topic}-${partition} to ${path}`);
      return partition === 9 ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.NONE;
    },
  } as Pick<ReplicaManager, 'alterLogDir'> as ReplicaManager;
  const named = (path: string, topics: Record<string, number[]>) =>
    newAlterReplicaLogDir({
      path,
      topics: Object.entries(topics).map(([name, partitions]) => newAlterReplicaLogDirTopic({ name, partitions })),
    });
  const request = newAlterReplicaLogDirsRequest({
    dirs: [named('/a', { t: [0, 1], u: [9] }), named('/b', { t: [1, 1, 2], none: [] })],
  });
  const context = handlerContext({ apiVersion: 2, broker: { replicaManager } });
  const { throttleTimeMs, results } = await answerOf(alterReplicaLogDirs(context, request));
  expect(asked).toEqual(['t-0 to /a', 't-1 to /b', 'u-9 to /a', 't-2 to /b']);
  const codes = results.map(({ topicName, partitions }) => [
    topicName,
    partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]),
  ]);
  expect([throttleTimeMs, codes]).toEqual([
    0,
    [
      ['t', [0, 1, 2].map((partition) => [partition, ErrorCode.NONE])],
      ['u', [[9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]]],
    ],
  ]);
});
