/** DescribeLogDirs: what is asked for, sizes, directories that fail. */
import { newDescribableLogDirTopic, newDescribeLogDirsRequest } from '../codec/generated/35-describe-log-dirs';
import { ErrorCode } from '../codec/generated/errors';
import { BrokerConfig } from '../config/broker-config';
import type { LogDirDescription } from '../log/log-dir-description';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { describeLogDirs } from './describe-log-dirs';

const partitions = [
  { topic: 't', partition: 0, sizeInBytes: 100, offsetLag: 0, isFuture: false },
  { topic: 't', partition: 1, sizeInBytes: 0, offsetLag: 0, isFuture: false },
  { topic: 'u', partition: 0, sizeInBytes: 7, offsetLag: 0, isFuture: false },
];
const disk: LogDirDescription = {
  path: '/a',
  hasFailed: false,
  partitions,
  space: { totalBytes: 1000, usableBytes: 10 },
};

async function describeDirs(directories: LogDirDescription[], wanted: Record<string, number[]> | null) {
  const topics =
    wanted &&
    Object.entries(wanted).map(([topic, numbers]) => newDescribableLogDirTopic({ topic, partitions: numbers }));
  const config = BrokerConfig.of({ 'log.dirs': '/a,/c', 'cordoned.log.dirs': '/c' });
  const broker = { config, describeLogDirs: async () => directories };
  const request = newDescribeLogDirsRequest({ topics });
  const { results } = await answerOf(describeLogDirs(handlerContext({ apiVersion: 5, broker }), request));
  return results;
}

it.each<[Record<string, number[]> | null, [string, number, number][]]>([
  [
    null,
    [
      ['t', 0, 100],
      ['t', 1, 0],
      ['u', 0, 7],
    ],
  ],
  [{ t: [1, 9], none: [0] }, [['t', 1, 0]]],
  [{}, []],
])('%j', async (wanted, found) => {
  const [directory] = await describeDirs([disk], wanted);
  expect(directory).toMatchObject({ errorCode: 0, logDir: '/a', totalBytes: 1000, usableBytes: 10, isCordoned: false });
  const told = directory!.topics.flatMap(({ name, partitions: each }) =>
    each.map(({ partitionIndex, partitionSize, offsetLag, isFutureKey }) => {
      expect([offsetLag, isFutureKey]).toEqual([0, false]);
      return [name, partitionIndex, partitionSize];
    }),
  );
  expect(told).toEqual(found);
});

it('tells what is unknown, and what failed', async () => {
  const memory = { ...disk, space: undefined };
  const failed = { ...memory, path: '/b', hasFailed: true };
  expect(await describeDirs([memory, failed], {})).toMatchObject([
    { errorCode: 0, totalBytes: -1, usableBytes: -1 },
    { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, logDir: '/b', topics: [], totalBytes: -1 },
  ]);
});

it('tells copies on their way, and directories that take no new partitions', async () => {
  const arriving = { topic: 't', partition: 0, sizeInBytes: 40, offsetLag: 60, isFuture: true };
  const cordoned = { ...disk, path: '/c', partitions: [arriving] };
  const [first, second] = await describeDirs([disk, cordoned], { t: [0] });
  expect([first!.isCordoned, second!.isCordoned]).toEqual([false, true]);
  const told = { partitionIndex: 0, partitionSize: 40, offsetLag: 60, isFutureKey: true };
  expect(second!.topics).toMatchObject([{ name: 't', partitions: [told] }]);
});
