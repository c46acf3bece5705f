/** Which topics can be created: a table of requests and codes. */
import { systemRandom } from '../../base/random';
import { ErrorCode } from '../../codec/generated/errors';
import { BrokerConfig } from '../../config/broker-config';
import { newTopic } from '../../testing/metadata-broker';
import { MetadataImage } from '../metadata-image';
import { planTopics } from './topic-creation';
import type { NewTopic } from './topic-requests';

const existing = { id: 'id', isInternal: false, partitions: [], configs: new Map() };
const { image } = MetadataImage.empty('c').with({ topics: [{ ...existing, name: 'old.topic' }] });
const context = { image, config: BrokerConfig.of({}), random: systemRandom, brokerIds: [1, 2, 3] };

const assignment = (...lists: number[][]) => lists.map((brokerIds, partition) => ({ partition, brokerIds }));
const withConfig = (key: string, value: string | null) => newTopic('t', { configs: new Map([[key, value]]) });

const table: [string, NewTopic, keyof typeof ErrorCode][] = [
  ['defaults', newTopic('t'), 'NONE'],
  ['three replicas', newTopic('t', { numPartitions: 9, replicationFactor: 3 }), 'NONE'],
  ['an empty name', newTopic(''), 'INVALID_TOPIC_EXCEPTION'],
  ['a bad name', newTopic('a b'), 'INVALID_TOPIC_EXCEPTION'],
  ['a name that exists', newTopic('old.topic'), 'TOPIC_ALREADY_EXISTS'],
  ['a name that collides', newTopic('old_topic'), 'INVALID_TOPIC_EXCEPTION'],
  ["KRaft's own topic", newTopic('__cluster_metadata'), 'INVALID_REQUEST'],
  ['no partitions', newTopic('t', { numPartitions: 0 }), 'INVALID_PARTITIONS'],
  ['-2 partitions', newTopic('t', { numPartitions: -2 }), 'INVALID_PARTITIONS'],
  ['far too many partitions', newTopic('t', { numPartitions: 2 ** 31 - 1 }), 'POLICY_VIOLATION'],
  ['no replicas', newTopic('t', { replicationFactor: 0 }), 'INVALID_REPLICATION_FACTOR'],
  ['-2 replicas', newTopic('t', { replicationFactor: -2 }), 'INVALID_REPLICATION_FACTOR'],
  ['more replicas than brokers', newTopic('t', { replicationFactor: 4 }), 'INVALID_REPLICATION_FACTOR'],
  ['an unknown config', withConfig('foo', 'bar'), 'INVALID_CONFIG'],
  ['a bad value', withConfig('cleanup.policy', 'bogus'), 'INVALID_CONFIG'],
  ['a null value', withConfig('retention.ms', null), 'INVALID_CONFIG'],
  ['an assignment', newTopic('t', { assignments: assignment([1, 2], [2, 3]) }), 'NONE'],
  ['assignment and count', newTopic('t', { assignments: assignment([1]), numPartitions: 1 }), 'INVALID_REQUEST'],
  ['assignment and factor', newTopic('t', { assignments: assignment([1]), replicationFactor: 1 }), 'INVALID_REQUEST'],
  ['an empty assignment', newTopic('t', { assignments: assignment([]) }), 'INVALID_REPLICA_ASSIGNMENT'],
  ['an unknown broker', newTopic('t', { assignments: assignment([9]) }), 'INVALID_REPLICA_ASSIGNMENT'],
  ['a broker twice', newTopic('t', { assignments: assignment([1, 1]) }), 'INVALID_REPLICA_ASSIGNMENT'],
  ['uneven replicas', newTopic('t', { assignments: assignment([1, 2], [3]) }), 'INVALID_REPLICA_ASSIGNMENT'],
  [
    'a gap in the numbers',
    newTopic('t', { assignments: [{ partition: 1, brokerIds: [1] }] }),
    'INVALID_REPLICA_ASSIGNMENT',
  ],
  [
    'a number twice',
    newTopic('t', { assignments: [0, 0].map((partition) => ({ partition, brokerIds: [1] })) }),
    'INVALID_REPLICA_ASSIGNMENT',
  ],
];

describe('planTopics', () => {
  it.each(table)('%s', (_, request, code) => {
    const [planned] = planTopics([request], context);
    expect(planned?.ok ? ErrorCode.NONE : planned?.error).toBe(ErrorCode[code]);
  });

  it('names the key of a bad config', () => {
    for (const [key, value] of [
      ['foo', 'bar'],
      ['retention.ms', 'abc'],
      ['retention.ms', null],
    ] as const) {
      expect(planTopics([withConfig(key, value)], context)[0]).toMatchObject({ message: expect.stringContaining(key) });
    }
  });

  it('sees collisions within a request', () => {
    const planned = planTopics([newTopic('x.y'), newTopic('x_y')], context);
    expect(planned.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('bounds the partitions of a request as a whole', () => {
    const half = { numPartitions: 6000 };
    const planned = planTopics([newTopic('x', half), newTopic('y', half), newTopic('z')], context);
    expect(planned.map((plan) => !plan.ok && plan.error)).toEqual([44, 44, 44]);
    const huge = planTopics([newTopic('x', { numPartitions: 2 ** 31 - 1 })], context);
    expect(huge[0]).toMatchObject({ error: ErrorCode.POLICY_VIOLATION });
  });

  it('keeps the order of an assignment whose partitions come in any order', () => {
    const assignments = [
      { partition: 1, brokerIds: [3, 1] },
      { partition: 0, brokerIds: [2, 3] },
    ];
    const [planned] = planTopics([newTopic('t', { assignments })], context);
    expect(planned?.ok && planned.value.partitions.map(({ leader, replicas }) => [leader, replicas])).toEqual([
      [2, [2, 3]],
      [3, [3, 1]],
    ]);
  });
});
