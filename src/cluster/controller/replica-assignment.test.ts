/** Replicas of new partitions: what a client may assign, and what comes of it. */
import { systemRandom } from '../../base/random';
import { ErrorCode } from '../../codec/generated/errors';
import { checkedAssignment, newPartitions, placedAssignment } from './replica-assignment';

const context = { brokerIds: [1, 2], random: systemRandom };

describe('assignments', () => {
  it('are placed where there are brokers enough', () => {
    const counts = { partitionCount: 2, replicationFactor: 2, firstPartition: 0 };
    const placed = placedAssignment(counts, context);
    expect(placed.ok && placed.value.map((replicas) => [...replicas].sort())).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(placedAssignment({ ...counts, replicationFactor: 3 }, context)).toMatchObject({
      error: ErrorCode.INVALID_REPLICATION_FACTOR,
      message: expect.stringContaining('2 broker(s)'),
    });
  });

  it.each([
    [[[1, 2]], undefined],
    [[[]], 'empty'],
    [[[1, 3]], 'broker 3'],
    [[[1, 1]], 'more than once'],
    [[[1, 2], [1]], '1 replica(s)'],
  ])('%j', (assignment, problem) => {
    const checked = checkedAssignment(assignment, 2, context);
    if (problem === undefined) expect(checked).toEqual({ ok: true, value: assignment });
    else {
      const message = expect.stringContaining(problem);
      expect(checked).toMatchObject({ error: ErrorCode.INVALID_REPLICA_ASSIGNMENT, message });
    }
  });

  it('become partitions that begin in epoch 0 with all replicas in sync', () => {
    expect(newPartitions([[2, 1]], 5)).toEqual([
      { partition: 5, leader: 2, leaderEpoch: 0, partitionEpoch: 0, replicas: [2, 1], isr: [2, 1] },
    ]);
  });
});
