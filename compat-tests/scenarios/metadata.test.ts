/** Metadata: which topics are told of, which names are refused, what is created by asking, and where brokers are. */
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { newFindCoordinatorRequest } from '../../src/codec/generated/10-find-coordinator';
import { newDescribeClusterRequest } from '../../src/codec/generated/60-describe-cluster';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { WireClient } from '../../src/testing/wire-client';
import { freePort } from '../free-port';
import { metadata, topicMetadata } from './data-calls';
import { eventually, uniqueName, useBroker, withBroker, withSettings } from './fixture';

const broker = useBroker();

const ZERO_ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const NO_OPERATIONS_ASKED = -2147483648;
/** What a client tries again after. */
const RETRIABLE: readonly number[] = [ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION];

function namesIn(answer: { topics: readonly { name: string | null }[] }): (string | null)[] {
  return answer.topics.map(({ name }) => name);
}

describe('which topics', () => {
  broker.scenario('version 0: none named is all', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    expect(namesIn(await metadata(client, [], { version: 0 }))).toContain(topic);
  });

  broker.scenario('from version 1: null is all', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (const version of broker.versions(apis.Metadata, 1)) {
      expect([version, namesIn(await metadata(client, null, { version }))]).toEqual([
        version,
        expect.arrayContaining([topic]),
      ]);
    }
  });

  broker.scenario('from version 1: none named is none, but the brokers and the controller are told', async () => {
    await broker.topic();
    const client = await broker.connect();
    for (const version of broker.versions(apis.Metadata, 1)) {
      const answer = await metadata(client, [], { version });
      expect(answer.topics).toEqual([]);
      expect(answer.brokers).toHaveLength(1);
      expect(answer.brokers[0]).toMatchObject({ host: broker.host, port: broker.port });
      expect(answer.controllerId).toBe(answer.brokers[0]!.nodeId);
    }
  });

  broker.scenario('a topic asked for by id is found, an unknown id is its own error', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const client = await broker.connect();
    const { topicId } = await topicMetadata(client, topic);
    expect(topicId).not.toBe(ZERO_ID);
    const unknown = Buffer.alloc(16, 7).toString('base64url');
    const request = newMetadataRequest({
      topics: [topicId, unknown].map((id) => newMetadataRequestTopic({ topicId: id, name: null })),
    });
    const { topics } = await client.call({ api: apis.Metadata, version: 12, request });
    expect(topics.find((one) => one.topicId === topicId)).toMatchObject({ errorCode: ErrorCode.NONE, name: topic });
    expect(topics.find((one) => one.topicId === unknown)).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_TOPIC_ID,
      name: null,
      partitions: [],
    });
  });

  broker.scenario('operations are told only to those who ask (KIP-430)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const ask = async (included: boolean): Promise<number> => {
      const request = newMetadataRequest({
        topics: [newMetadataRequestTopic({ name: topic })],
        includeTopicAuthorizedOperations: included,
      });
      const { topics } = await client.call({ api: apis.Metadata, version: 8, request });
      return topics[0]!.topicAuthorizedOperations;
    };
    expect(await ask(false)).toBe(NO_OPERATIONS_ASKED);
    expect(await ask(true)).toBeGreaterThan(0);
  });
});

describe('names', () => {
  broker.scenario('those that no topic can have are refused one by one; the good one is served', async () => {
    const good = await broker.topic();
    const client = await broker.connect();
    const bad = ['', '.', '..', 'a b', 'a/b', 'x'.repeat(250)];
    for (const version of [4, 9]) {
      const { topics } = await metadata(client, [...bad, good], { version, allowAutoTopicCreation: true });
      const errors = new Map(topics.map(({ name, errorCode }) => [name, errorCode]));
      for (const name of bad) expect([name, errors.get(name)]).toEqual([name, ErrorCode.INVALID_TOPIC_EXCEPTION]);
      expect(errors.get(good)).toBe(ErrorCode.NONE);
      expect(topics).toHaveLength(bad.length + 1);
    }
    expect(namesIn(await metadata(client, null))).not.toEqual(expect.arrayContaining(['a b']));
  });

  broker.scenario('the longest possible one is created and served', async () => {
    const name = uniqueName('long').padEnd(249, 'x');
    const client = await broker.connect();
    await eventually('the topic', {
      attempt: async () => (await metadata(client, [name], { allowAutoTopicCreation: true })).topics[0]!.errorCode,
      holds: (errorCode) => errorCode === ErrorCode.NONE,
    });
    await broker.deleteTopic(name);
  });
});

describe('creating by asking', () => {
  broker.scenario('not when the client does not allow it', async () => {
    const name = uniqueName('unwanted');
    const client = await broker.connect();
    for (let round = 0; round < 2; round++) {
      const [topic] = (await metadata(client, [name], { version: 4, allowAutoTopicCreation: false })).topics;
      expect(topic).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, partitions: [] });
    }
    expect(namesIn(await metadata(client, null))).not.toContain(name);
  });

  broker.scenario('when it does: an error to try again after at most, and soon the topic', async () => {
    const name = uniqueName('wanted');
    const client = await broker.connect();
    const seen: number[] = [];
    const topic = await eventually('the topic', {
      attempt: async () => (await metadata(client, [name], { version: 4, allowAutoTopicCreation: true })).topics[0]!,
      holds: ({ errorCode }) => seen.push(errorCode) > 0 && errorCode === ErrorCode.NONE,
    });
    for (const errorCode of seen.slice(0, -1)) expect(RETRIABLE).toContain(errorCode);
    expect(topic.partitions).toHaveLength(1);
    expect(topic.partitions[0]).toMatchObject({
      errorCode: ErrorCode.NONE,
      replicaNodes: [topic.partitions[0]!.leaderId],
    });
    expect(namesIn(await metadata(client, null))).toContain(name);
  });

  broker.scenario('asking for all creates nothing', async () => {
    const client = await broker.connect();
    const before = namesIn(await metadata(client, null)).toSorted();
    await metadata(client, null, { allowAutoTopicCreation: true });
    expect(namesIn(await metadata(client, null)).toSorted()).toEqual(before);
  });

  withSettings({ 'auto.create.topics.enable': false }, (own) => {
    own.scenario('not when the broker does not allow it', async () => {
      const name = uniqueName('refused');
      const client = await own.connect();
      for (let round = 0; round < 2; round++) {
        const [topic] = (await metadata(client, [name], { version: 4, allowAutoTopicCreation: true })).topics;
        expect(topic).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name });
      }
      expect(namesIn(await metadata(client, null))).toEqual([]);
    });
  });
});

describe('where brokers are', () => {
  broker.scenario('every leader, replica and controller is a broker that is listed', async () => {
    const topic = await broker.topic({ partitions: 3 });
    const client = await broker.connect();
    const { brokers, controllerId, topics } = await metadata(client, [topic]);
    const ids = brokers.map(({ nodeId }) => nodeId);
    expect(ids).toContain(controllerId);
    expect(topics[0]!.partitions.map(({ partitionIndex }) => partitionIndex).toSorted()).toEqual([0, 1, 2]);
    for (const { leaderId, replicaNodes, isrNodes, offlineReplicas } of topics[0]!.partitions) {
      expect(ids).toContain(leaderId);
      expect(replicaNodes).toEqual([leaderId]);
      expect(isrNodes).toEqual([leaderId]);
      expect(offlineReplicas).toEqual([]);
    }
  });
});

/** The address under which brokers and the coordinator are told on this connection. */
async function addressesTold(client: WireClient): Promise<Set<string>> {
  const { brokers } = await metadata(client, []);
  const cluster = await client.call({
    api: apis.DescribeCluster,
    version: 0,
    request: newDescribeClusterRequest(),
  });
  const coordinator = await eventually('a coordinator', {
    attempt: () =>
      client.call({ api: apis.FindCoordinator, version: 2, request: newFindCoordinatorRequest({ key: 'anyone' }) }),
    holds: ({ errorCode }) => errorCode === ErrorCode.NONE,
  });
  return new Set([...brokers, ...cluster.brokers, coordinator].map(({ host, port }) => `${host} ${port}`));
}

let externalPort = 0;

withBroker('with several listeners', {
  settings: async () => {
    externalPort = await freePort();
    return {
      listeners: `INTERNAL://127.0.0.1:0,EXTERNAL://0.0.0.0:${externalPort}`,
      'listener.security.protocol.map': 'INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT',
      'inter.broker.listener.name': 'INTERNAL',
      'advertised.listeners': 'INTERNAL://inside.example:19092,EXTERNAL://[2001:db8::7]:29092',
    };
  },
  scenarios: (own) => {
    own.scenario('each tells its own address everywhere, and never the one that is bound', async () => {
      const internal = await own.connect();
      const external = await WireClient.connect(externalPort);
      try {
        expect([...(await addressesTold(internal))]).toEqual(['inside.example 19092']);
        expect([...(await addressesTold(external))]).toEqual(['2001:db8::7 29092']);
        const ids = [await metadata(internal, []), await metadata(external, [])].map(
          ({ brokers }) => brokers[0]!.nodeId,
        );
        expect(ids[0]).toBe(ids[1]);
      } finally {
        external.close();
      }
    });
  },
});
