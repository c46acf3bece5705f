/** Elections and reassignments on one broker: what is the case already, and what cannot be. */
import { ErrorCode } from '../../codec/generated/errors';
import { testBroker } from '../../testing/metadata-broker';
import { MetadataImage, type PartitionImage } from '../metadata-image';
import { checkReassignment, type ElectionType, refuseElection } from './election-request';

function partition(number: number, leader: number): PartitionImage {
  return { partition: number, leader, leaderEpoch: 0, partitionEpoch: 0, replicas: [1], isr: [1] };
}

const { image } = MetadataImage.empty('c').with({
  brokers: new Map([[1, testBroker]]),
  topics: [
    { name: 't', id: 'id', isInternal: false, partitions: [partition(0, 1), partition(1, -1)], configs: new Map() },
  ],
});

describe('refuseElection', () => {
  it.each<[string, number, ElectionType, ErrorCode, string]>([
    ['t', 0, 'preferred', ErrorCode.ELECTION_NOT_NEEDED, 'Leader election not needed for topic partition.'],
    ['t', 0, 'unclean', ErrorCode.ELECTION_NOT_NEEDED, 'Leader election not needed for topic partition.'],
    ['t', 1, 'preferred', ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, 'The preferred leader was not available.'],
    [
      't',
      1,
      'unclean',
      ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
      'Eligible topic partition leaders are not available.',
    ],
    ['t', 2, 'unclean', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'No such partition as t-2'],
    ['x', 0, 'preferred', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'No such topic as x'],
  ])('%s-%d %s', (topic, number, ...[type, errorCode, errorMessage]) => {
    expect(refuseElection({ topic, partition: number }, type, image)).toEqual({ errorCode, errorMessage });
  });
});

describe('checkReassignment', () => {
  const check = (replicas: number[] | null, topic = 't', number = 0) =>
    checkReassignment({ topic, partition: number, replicas }, image);

  it('takes what is the case', () => expect(check([1])).toEqual({ ok: true, value: undefined }));

  it.each<[number[], string]>([
    [[], 'an empty replica list'],
    [[2], 'broker 2, but no such broker is registered'],
    [[1, 2], 'broker 2, but no such broker is registered'],
    [[-1], 'broker -1, but no such broker is registered'],
    [[1, 1], 'the broker 1 more than once'],
  ])('refuses %j', (replicas, problem) => {
    const message = `The manual partition assignment includes ${problem}.`;
    expect(check(replicas)).toMatchObject({ error: ErrorCode.INVALID_REPLICA_ASSIGNMENT, message });
  });

  it('has nothing to give up', () => {
    expect(check(null)).toMatchObject({ error: ErrorCode.NO_REASSIGNMENT_IN_PROGRESS });
  });

  it('knows which partitions there are', () => {
    const error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    expect(check([1], 'x')).toMatchObject({ error, message: 'Unable to find a topic named x.' });
    expect(check([1], 't', 7)).toMatchObject({ error, message: 'Unable to find partition t:7.' });
  });
});
