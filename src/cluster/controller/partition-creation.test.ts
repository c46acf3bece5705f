/** How topics grow: a table of requests and codes. */
import { systemRandom } from '../../base/random';
import { ErrorCode } from '../../codec/generated/errors';
import { MetadataImage, type PartitionImage } from '../metadata-image';
import { isExcessiveGrowth, planPartitions } from './partition-creation';

const partition = (number: number): PartitionImage => {
  return { partition: number, leader: 1, leaderEpoch: 3, partitionEpoch: 4, replicas: [1, 2], isr: [1] };
};
const topic = { name: 't', id: 'id', isInternal: false, configs: new Map(), partitions: [partition(0), partition(1)] };
const { image } = MetadataImage.empty('c').with({ topics: [topic] });
const context = { brokerIds: [1, 2], random: systemRandom };

const table: [string, number, number[][] | null, keyof typeof ErrorCode][] = [
  ['as many as there are', 2, null, 'INVALID_PARTITIONS'],
  ['fewer', 1, null, 'INVALID_PARTITIONS'],
  ['a negative number', -1, null, 'INVALID_PARTITIONS'],
  ['two more', 4, null, 'NONE'],
  [
    'two more with assignments',
    4,
    [
      [1, 2],
      [2, 1],
    ],
    'NONE',
  ],
  ['too few assignments', 4, [[1, 2]], 'INVALID_REPLICA_ASSIGNMENT'],
  ['an unknown broker', 3, [[1, 99]], 'INVALID_REPLICA_ASSIGNMENT'],
  ['another number of replicas', 3, [[1]], 'INVALID_REPLICA_ASSIGNMENT'],
];

describe('planPartitions', () => {
  it.each(table)('%s', (_, ...[totalCount, assignments, code]) => {
    const planned = planPartitions({ name: 't', totalCount, assignments }, image, context);
    expect(planned.ok ? ErrorCode.NONE : planned.error).toBe(ErrorCode[code]);
  });

  it('leaves the present partitions as they are', () => {
    const planned = planPartitions({ name: 't', totalCount: 3, assignments: [[2, 1]] }, image, context);
    const added = { partition: 2, leader: 2, leaderEpoch: 0, partitionEpoch: 0, replicas: [2, 1], isr: [2, 1] };
    expect(planned.ok && planned.value.partitions).toEqual([partition(0), partition(1), added]);
  });

  it('bounds the partitions of a request as a whole', () => {
    const grow = (name: string, totalCount: number) => ({ name, totalCount, assignments: null });
    expect(isExcessiveGrowth([grow('t', 2 ** 31 - 1)], image)).toBe(true);
    expect(isExcessiveGrowth([grow('t', 5002), grow('t', 5002)], image)).toBe(false);
    expect(isExcessiveGrowth([grow('t', 5002), grow('t', 5003)], image)).toBe(true);
    expect(isExcessiveGrowth([grow('x', 2 ** 31 - 1), grow('t', -5)], image)).toBe(false);
  });

  it('knows no missing topic', () => {
    const planned = planPartitions({ name: 'x', totalCount: 3, assignments: null }, image, context);
    expect(planned).toMatchObject({ error: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
  });
});
