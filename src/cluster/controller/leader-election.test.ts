/** Elections: who leads, and what a new leadership changes. */
import { NO_LEADER } from '../metadata-image';
import { electLeader, renewLeadership, renewLeaderships } from './leader-election';

const all = () => true;

describe('electLeader', () => {
  it('prefers the first replica that is in sync and can lead', () => {
    expect(electLeader([3, 1, 2], [2, 3], all)).toBe(3);
    expect(electLeader([3, 1, 2], [2, 3], (id) => id !== 3)).toBe(2);
    expect(electLeader([3, 1, 2], [2, 3], (id) => id === 1)).toBe(NO_LEADER);
  });
});

const partition = { leader: 1, leaderEpoch: 4, partitionEpoch: 6, replicas: [1, 2], isr: [1, 2] };
const topic = {
  name: 't',
  id: 'id',
  isInternal: false,
  configs: new Map(),
  partitions: [0, 1].map((number) => ({ ...partition, partition: number })),
};

describe('new leaderships', () => {
  it('raise the epochs of all partitions, also under the same leader', () => {
    const renewed = renewLeaderships(topic, (_, number, id) => number === 0 || id === 2);
    expect(renewed.partitions).toEqual([
      { ...partition, partition: 0, leaderEpoch: 5, partitionEpoch: 7 },
      { ...partition, partition: 1, leader: 2, leaderEpoch: 5, partitionEpoch: 7 },
    ]);
  });

  it('of one partition leave the others alone', () => {
    const { partitions } = renewLeadership(topic, 1, () => false);
    expect(partitions[0]).toBe(topic.partitions[0]);
    expect(partitions[1]).toMatchObject({ leader: NO_LEADER, leaderEpoch: 5, isr: [1, 2] });
  });
});
