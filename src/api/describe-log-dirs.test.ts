/** DescribeLogDirs: what is asked for, sizes, directories that fail. */
import { newDescribableLogDirTopic, newDescribeLogDirsRequest } from '../codec/generated/35-describe-log-dirs';
import { ErrorCode } from '../codec/generated/errors';
import type { LogDirDescription } from '../log/log-dir-description';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { describeLogDirs } from './describe-log-dirs';

const partitions = [
  { topic: 't', partition: 0, sizeInBytes: 100 },
  { topic: 't', partition: 1, sizeInBytes: 0 },
  { topic: 'u', partition: 0, sizeInBytes: 7 },
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
  const broker = { describeLogDirs: async () => directories };
  const request = newDescribeLogDirsRequest({ topics });
  const { results } = await answerOf(describeLogDirs(handlerContext({ apiVersion: 4, broker }), request));
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
