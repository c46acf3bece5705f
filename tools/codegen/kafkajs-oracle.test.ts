/**
 * A second opinion: kafkajs's hand-written encoders and decoders, over every version that it knows of the APIs of data
 * and groups; the others are in `kafkajs-admin-oracle.test.ts`.
 */
import type { Api } from '../../src/codec/api';
import { newListOffsetsResponse, newListOffsetsTopicResponse } from '../../src/codec/generated/02-list-offsets';
import { newMetadataResponse } from '../../src/codec/generated/03-metadata';
import { newOffsetFetchResponse } from '../../src/codec/generated/09-offset-fetch';
import { newFindCoordinatorResponse } from '../../src/codec/generated/10-find-coordinator';
import { newJoinGroupResponse } from '../../src/codec/generated/11-join-group';
import { apis } from '../../src/codec/generated/apis';
import { decodeRequestHeader } from '../../src/codec/header';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { kafkajsCall, kafkajsFrame, kafkajsVersions } from './kafkajs-protocol';

interface RequestCase {
  readonly folder: string;
  readonly values: unknown;
  readonly expected: (version: number) => Record<string, unknown>;
}

const topics = [
  { topic: 't', partitions: [{ partition: 1, offset: '42', fetchOffset: '42', maxBytes: 9, timestamp: 5 }] },
];
const requests: RequestCase[] = [
  { folder: 'metadata', values: { topics: ['a', 'b'] }, expected: () => ({ topics: [{ name: 'a' }, { name: 'b' }] }) },
  {
    folder: 'fetch',
    values: { maxWaitTime: 7, minBytes: 1, maxBytes: 99, isolationLevel: 1, topics, rackId: 'r' },
    expected: (version) => ({
      replicaId: -1,
      maxWaitMs: 7,
      minBytes: 1,
      maxBytes: version >= 3 ? 99 : 0x7fffffff,
      topics: [{ topic: 't', partitions: [{ partition: 1, fetchOffset: 42, partitionMaxBytes: 9 }] }],
      rackId: version >= 11 ? 'r' : '',
    }),
  },
  {
    folder: 'produce',
    values: {
      acks: -1,
      timeout: 30,
      transactionalId: null,
      topicData: [{ topic: 't', partitions: [{ partition: 2, messages: [{ key: 'k', value: 'v', timestamp: 5 }] }] }],
    },
    expected: () => ({
      acks: -1,
      timeoutMs: 30,
      transactionalId: null,
      topicData: [{ name: 't', partitionData: [{ index: 2, records: expect.any(Buffer) }] }],
    }),
  },
  {
    folder: 'listOffsets',
    values: { topics: [{ topic: 't', partitions: [{ partition: 1, timestamp: 5, maxNumOffsets: 3 }] }] },
    expected: (version) => ({
      isolationLevel: version >= 2 ? 1 : 0,
      topics: [{ name: 't', partitions: [{ partitionIndex: 1, timestamp: 5 }] }],
    }),
  },
  {
    folder: 'offsetCommit',
    values: { groupId: 'g', groupGenerationId: 3, memberId: 'm', topics },
    expected: (version) => ({
      groupId: 'g',
      generationIdOrMemberEpoch: version >= 1 ? 3 : -1,
      topics: [{ name: 't', partitions: [{ partitionIndex: 1, committedOffset: 42, committedMetadata: null }] }],
    }),
  },
  {
    folder: 'offsetFetch',
    values: { groupId: 'g', topics },
    expected: () => ({ groupId: 'g', topics: [{ name: 't', partitionIndexes: [1] }] }),
  },
  {
    folder: 'findCoordinator',
    values: { coordinatorKey: 'g', groupId: 'g', coordinatorType: 1 },
    expected: (version) => ({ key: 'g', keyType: version >= 1 ? 1 : 0 }),
  },
  {
    folder: 'joinGroup',
    values: {
      groupId: 'g',
      sessionTimeout: 10,
      rebalanceTimeout: 20,
      memberId: 'm',
      groupInstanceId: 'i',
      protocolType: 'consumer',
      groupProtocols: [{ name: 'range', metadata: Buffer.from('ab') }],
    },
    expected: (version) => ({
      groupId: 'g',
      sessionTimeoutMs: 10,
      rebalanceTimeoutMs: version >= 1 ? 20 : -1,
      memberId: 'm',
      groupInstanceId: version >= 5 ? 'i' : null,
      protocols: [{ name: 'range', metadata: Buffer.from('ab') }],
    }),
  },
  {
    folder: 'syncGroup',
    values: {
      groupId: 'g',
      generationId: 3,
      memberId: 'm',
      groupAssignment: [{ memberId: 'm', memberAssignment: Buffer.from('cd') }],
    },
    expected: () => ({ generationId: 3, assignments: [{ memberId: 'm', assignment: Buffer.from('cd') }] }),
  },
  {
    folder: 'heartbeat',
    values: { groupId: 'g', groupGenerationId: 3, memberId: 'm' },
    expected: () => ({ groupId: 'g', generationId: 3, memberId: 'm' }),
  },
  {
    folder: 'leaveGroup',
    values: { groupId: 'g', memberId: 'm' },
    expected: (version) => (version >= 3 ? { members: [{ memberId: 'm' }] } : { memberId: 'm' }),
  },
  {
    folder: 'createTopics',
    values: {
      topics: [{ topic: 't', numPartitions: 3, replicationFactor: 1, configEntries: [{ name: 'n', value: 'v' }] }],
      timeout: 8,
      validateOnly: true,
    },
    expected: (version) => ({
      topics: [{ name: 't', numPartitions: 3, replicationFactor: 1, configs: [{ name: 'n', value: 'v' }] }],
      timeoutMs: 8,
      validateOnly: version >= 1,
    }),
  },
  {
    folder: 'describeConfigs',
    values: { resources: [{ type: 2, name: 't', configNames: ['n'] }], includeSynonyms: true },
    expected: (version) => ({
      resources: [{ resourceType: 2, resourceName: 't', configurationKeys: ['n'] }],
      includeSynonyms: version >= 1,
    }),
  },
];

describe('requests that kafkajs writes', () => {
  for (const { folder, values, expected } of requests)
    it(folder, async () => {
      for (const version of kafkajsVersions(folder)) {
        const { request } = kafkajsCall(folder, version, values);
        const frame = (await kafkajsFrame(request, 5, 'c')).subarray(4);
        const header = decodeRequestHeader(frame);
        expect(header).toMatchObject({ apiVersion: version, correlationId: 5, clientId: 'c' });
        const bodyStart = header.bodyReader.position;
        const body = header.api.decodeRequest(header.bodyReader, version);
        expect(header.bodyReader.remaining).toBe(0);
        expect(body).toMatchObject(expected(version));
        const writer = new Writer();
        header.api.encodeRequest(writer, body, version);
        expect(writer.finishBuffer().equals(frame.subarray(bodyStart))).toBe(true);
      }
    });
});

interface ResponseCase {
  readonly folder: string;
  readonly api: Api<unknown, unknown>;
  readonly message: (version: number) => unknown;
  readonly expected: Record<string, unknown>;
}

const partitionMetadata = {
  errorCode: 0,
  partitionIndex: 0,
  leaderId: 1,
  leaderEpoch: -1,
  replicaNodes: [1],
  isrNodes: [1],
};
const responses: ResponseCase[] = [
  {
    folder: 'metadata',
    api: apis.Metadata,
    message: () =>
      newMetadataResponse({
        brokers: [{ nodeId: 1, host: 'h', port: 9092, rack: null }],
        topics: [
          {
            ...{
              errorCode: 0,
              name: 't',
              topicId: 'A'.repeat(22),
              isInternal: false,
              topicAuthorizedOperations: -2147483648,
            },
            partitions: [{ ...partitionMetadata, offlineReplicas: [] }],
          },
        ],
      }),
    expected: {
      brokers: [{ nodeId: 1, host: 'h', port: 9092 }],
      topicMetadata: [{ topic: 't', partitionMetadata: [{ partitionId: 0, leader: 1, replicas: [1], isr: [1] }] }],
    },
  },
  {
    folder: 'joinGroup',
    api: apis.JoinGroup,
    message: () => {
      const members = [{ memberId: 'm', groupInstanceId: null, metadata: Buffer.from('ab') }];
      return newJoinGroupResponse({ generationId: 3, protocolName: 'range', leader: 'm', memberId: 'm', members });
    },
    expected: { generationId: 3, groupProtocol: 'range', leaderId: 'm', memberId: 'm', members: [{ memberId: 'm' }] },
  },
  {
    folder: 'offsetFetch',
    api: apis.OffsetFetch,
    message: () => {
      const partition = {
        partitionIndex: 1,
        committedOffset: 42,
        committedLeaderEpoch: -1,
        metadata: 'x',
        errorCode: 0,
      };
      return newOffsetFetchResponse({ topics: [{ name: 't', partitions: [partition] }] });
    },
    expected: {
      responses: [{ topic: 't', partitions: [{ partition: 1, offset: '42', metadata: 'x', errorCode: 0 }] }],
    },
  },
  {
    folder: 'listOffsets',
    api: apis.ListOffsets,
    message: (version) => {
      const answer = version === 0 ? { oldStyleOffsets: [42] } : { offset: 42 };
      const partition = {
        partitionIndex: 1,
        errorCode: 0,
        timestamp: -1,
        leaderEpoch: -1,
        offset: -1,
        oldStyleOffsets: [],
      };
      return newListOffsetsResponse({
        topics: [newListOffsetsTopicResponse({ name: 't', partitions: [{ ...partition, ...answer }] })],
      });
    },
    expected: { responses: [{ topic: 't', partitions: [{ partition: 1, errorCode: 0 }] }] },
  },
  {
    folder: 'findCoordinator',
    api: apis.FindCoordinator,
    message: () => newFindCoordinatorResponse({ nodeId: 4, host: 'h', port: 9092 }),
    expected: { coordinator: { nodeId: 4, host: 'h', port: 9092 } },
  },
];

describe('responses that kafkajs reads', () => {
  for (const { folder, api, message, expected } of responses)
    it(folder, async () => {
      for (const version of kafkajsVersions(folder)) {
        const writer = new Writer();
        api.encodeResponse(writer, message(version), version);
        const bytes = writer.finishBuffer();
        const values = { topics: [], coordinatorKey: 'g', groupId: 'g', groupProtocols: [] };
        expect(await kafkajsCall(folder, version, values).response.decode(bytes)).toMatchObject(expected);
        expect(api.decodeResponse(new Reader(bytes), version)).toEqual(message(version));
      }
    });
});
