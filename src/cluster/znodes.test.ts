/** Kafka's JSON: what it looks like, and that it comes back as it was. */
import type { BrokerRegistration, TopicImage } from './metadata-image';
import {
  createTopicNodes,
  decodeConfigs,
  decodePartitionState,
  decodeProducerIdBlock,
  decodeTopic,
  deleteTopicNodes,
  encodeBroker,
  encodeConfigs,
  encodePartitionState,
  encodeProducerIdBlock,
  encodeTopic,
  setPartitionStates,
} from './znodes';

const partition = { partition: 0, leader: 1, leaderEpoch: 3, partitionEpoch: 5, replicas: [1, 2], isr: [1] };
const topic: TopicImage = { name: 't', id: 'id', isInternal: false, configs: new Map(), partitions: [partition] };

describe('JSON', () => {
  it('comes back as it was', () => {
    const node = { id: 'id', assignments: [[1, 2], [2]] };
    expect(decodeTopic(encodeTopic(node))).toEqual(node);
    const state = { leader: 1, leaderEpoch: 3, isr: [1] };
    expect(decodePartitionState(encodePartitionState(state, 7))).toEqual(state);
    const configs = new Map([['a', 'b']]);
    expect(decodeConfigs(encodeConfigs(configs))).toEqual(configs);
    const block = { brokerId: 1, first: 1000, last: 1999 };
    expect(decodeProducerIdBlock(encodeProducerIdBlock(block))).toEqual(block);
  });

  it('of partitions in any order', () => {
    const data = '{"version":3,"topic_id":"id","partitions":{"10":[3],"2":[2],"0":[1]}}';
    const { assignments } = decodeTopic(data);
    expect([assignments[0], assignments[2], assignments[10]]).toEqual([[1], [2], [3]]);
  });

  it('of brokers, with and without rack, IPv6 in brackets', () => {
    const broker: BrokerRegistration = {
      id: 1,
      rack: null,
      endpoints: [
        { listener: 'IN', host: '::1', port: 1, securityProtocol: 'PLAINTEXT' },
        { listener: 'OUT', host: 'h', port: 2, securityProtocol: 'SSL' },
      ],
    };
    const encoded = JSON.parse(encodeBroker(broker, 9));
    expect(encoded).toMatchObject({
      listener_security_protocol_map: { IN: 'PLAINTEXT', OUT: 'SSL' },
      endpoints: ['IN://[::1]:1', 'OUT://h:2'],
      host: '::1',
      port: 1,
      timestamp: '9',
    });
    expect('rack' in encoded).toBe(false);
    expect(JSON.parse(encodeBroker({ id: 1, rack: 'r', endpoints: [] }, 9))).toMatchObject({ rack: 'r', host: null });
  });
});

describe('operations', () => {
  it('create parents before children and delete them after', () => {
    const created = createTopicNodes(topic, 1).map(({ path }) => path);
    const deleted = deleteTopicNodes(topic).map(({ path }) => path);
    const depth = (path: string) => path.split('/').length;
    const inTopic = (paths: string[]) => paths.filter((path) => path.startsWith('/brokers')).map(depth);
    expect(inTopic(created)).toEqual([4, 5, 6, 7]);
    expect(inTopic(deleted)).toEqual([7, 6, 5, 4]);
    expect(new Set(deleted)).toEqual(new Set([...created, '/admin/delete_topics/t']));
  });

  it('set states only over the former version', () => {
    expect(setPartitionStates('t', [partition], 1)).toMatchObject([{ kind: 'set', expectedVersion: 4 }]);
  });
});
