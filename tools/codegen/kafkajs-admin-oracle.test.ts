/**
 * A second opinion: kafkajs's hand-written encoders over every version that it knows of the APIs of transactions,
 * security and administration; with `kafkajs-oracle.test.ts` these are all it has.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeRequestHeader } from '../../src/codec/header';
import { messageFromJson, messageShape, messageToJson } from '../../src/codec/message-json';
import { Writer } from '../../src/codec/writer';
import { kafkajsCall, kafkajsFolders, kafkajsFrame, kafkajsVersions } from './kafkajs-protocol';

const producer = { transactionalId: 'tx', producerId: '42', producerEpoch: 3 };
const filter = { resourceType: 2, resourceName: 'r', principal: 'User:a', host: '*', operation: 3, permissionType: 3 };
const FILTER_LEAVES = (version: number): unknown[] => [2, 'r', ...(version >= 1 ? [3] : []), 'User:a', '*', 3, 3];

/** kafkajs's folder, its names for the values, and the values in the order of the wire. */
const requests: readonly [string, unknown, (version: number) => unknown[]][] = [
  ['addOffsetsToTxn', { ...producer, groupId: 'g' }, () => ['tx', 42, 3, 'g']],
  ['addPartitionsToTxn', { ...producer, topics: [{ topic: 't', partitions: [1, 2] }] }, () => ['tx', 42, 3, 't', 1, 2]],
  ['endTxn', { ...producer, transactionResult: true }, () => ['tx', 42, 3, true]],
  ['initProducerId', { transactionalId: 'tx', transactionTimeout: 9 }, () => ['tx', 9]],
  [
    'txnOffsetCommit',
    { ...producer, groupId: 'g', topics: [{ topic: 't', partitions: [{ partition: 1, offset: '5', metadata: 'm' }] }] },
    () => ['tx', 'g', 42, 3, 't', 1, 5, 'm'],
  ],
  ['apiVersions', {}, () => []],
  ['saslHandshake', { mechanism: 'PLAIN' }, () => ['PLAIN']],
  // kafkajs has its mechanisms write the length.
  ['saslAuthenticate', { authBytes: Buffer.from('000000026162', 'hex') }, () => ['YWI=']],
  ['describeGroups', { groupIds: ['a', 'b'] }, () => ['a', 'b']],
  ['listGroups', {}, () => []],
  ['deleteGroups', ['a', 'b'], () => ['a', 'b']],
  ['deleteTopics', { topics: ['a', 'b'], timeout: 9 }, () => ['a', 'b', 9]],
  [
    'deleteRecords',
    { topics: [{ topic: 't', partitions: [{ partition: 1, offset: '7' }] }], timeout: 9 },
    () => ['t', 1, 7, 9],
  ],
  [
    'createPartitions',
    { topicPartitions: [{ topic: 't', count: 3, assignments: [[1, 2]] }], timeout: 9, validateOnly: true },
    () => ['t', 3, 1, 2, 9, true],
  ],
  [
    'alterConfigs',
    { resources: [{ type: 2, name: 't', configEntries: [{ name: 'n', value: 'v' }] }], validateOnly: true },
    () => [2, 't', 'n', 'v', true],
  ],
  [
    'alterPartitionReassignments',
    { topics: [{ topic: 't', partitionAssignment: [{ partition: 1, replicas: [4, 5] }] }], timeout: 9 },
    () => [9, 't', 1, 4, 5],
  ],
  ['listPartitionReassignments', { topics: [{ topic: 't', partitions: [1, 2] }], timeout: 9 }, () => [9, 't', 1, 2]],
  ['listPartitionReassignments', { topics: null, timeout: 9 }, () => [9, null]],
  ['createAcls', { creations: [{ ...filter, resourcePatternType: 3 }] }, FILTER_LEAVES],
  ['deleteAcls', { filters: [{ ...filter, resourcePatternType: 3 }] }, FILTER_LEAVES],
  ['describeAcls', { ...filter, resourcePatternType: 3 }, FILTER_LEAVES],
];

function leavesOf(json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return [json];
  return Object.values(json).flatMap(leavesOf);
}

async function check(folder: string, version: number, values: unknown): Promise<unknown[]> {
  const frame = (await kafkajsFrame(kafkajsCall(folder, version, values).request, 5, 'c')).subarray(4);
  const { api, apiVersion, correlationId, clientId, bodyReader } = decodeRequestHeader(frame);
  expect([apiVersion, correlationId, clientId]).toEqual([version, 5, 'c']);
  const body = frame.subarray(bodyReader.position);
  const shape = messageShape(api, 'request');
  const json = messageToJson(api.decodeRequest(bodyReader, version), shape, version);
  expect(bodyReader.remaining).toBe(0);
  const writer = new Writer();
  api.encodeRequest(writer, messageFromJson(json, shape), version);
  expect(writer.finishBuffer().toString('hex')).toBe(body.toString('hex'));
  return leavesOf(json);
}

it.each(requests)('%s %j', async (folder, values, leaves) => {
  for (const version of kafkajsVersions(folder))
    expect([version, await check(folder, version, values)]).toEqual([version, leaves(version)]);
});

it('no request of kafkajs is left out', () => {
  const text = readFileSync(path.join(__dirname, 'kafkajs-oracle.test.ts'), 'utf8');
  const others = [...text.matchAll(/folder: '(\w+)'/g)].map((match) => match[1]!);
  expect([...new Set([...requests.map(([folder]) => folder), ...others])].sort()).toEqual(kafkajsFolders().sort());
});
