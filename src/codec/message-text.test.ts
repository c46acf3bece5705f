/** Messages as people read them. */
import { ZERO_UUID } from '../base/random';
import { newProduceRequest } from './generated/00-produce';
import { newMetadataResponse, newMetadataResponsePartition, newMetadataResponseTopic } from './generated/03-metadata';
import { newSyncGroupResponse } from './generated/14-sync-group';
import { messageShape } from './message-json';
import { bytesText, messageText } from './message-text';

const describeRecords = (records: Buffer): string[] => [`${records.length} described`];

describe('messageText', () => {
  it('is a line a field, parts indented, errors by name', () => {
    const partitions = [newMetadataResponsePartition({ errorCode: 5, leaderId: -1, replicaNodes: [1, 2] })];
    const topics = [newMetadataResponseTopic({ name: 'a "b"', topicId: ZERO_UUID, partitions })];
    const message = newMetadataResponse({ controllerId: 3, topics });
    expect(
      messageText(message, messageShape({ name: 'Metadata' }, 'response'), { version: 1, describeRecords }),
    ).toEqual([
      'brokers: []',
      'controllerId: 3',
      'topics:',
      '  - errorCode: 0 NONE',
      '    name: "a \\"b\\""',
      '    isInternal: false',
      '    partitions:',
      '      - errorCode: 5 LEADER_NOT_AVAILABLE',
      '        partitionIndex: 0',
      '        leaderId: -1',
      '        replicaNodes: [1, 2]',
      '        isrNodes: []',
    ]);
  });

  it('leaves records to others', () => {
    const partitionData = [{ index: 1, records: Buffer.alloc(3) }];
    const message = newProduceRequest({ topicData: [{ name: 't', topicId: ZERO_UUID, partitionData }] });
    const text = messageText(message, messageShape({ name: 'Produce' }, 'request'), { version: 3, describeRecords });
    expect(text[0]).toBe('transactionalId: null');
    expect(text.slice(-2)).toEqual(['        records: 3 bytes', '          3 described']);
  });

  it('shows bytes', () => {
    const message = newSyncGroupResponse({ assignment: Buffer.from([0, 1]) });
    const text = messageText(message, messageShape({ name: 'SyncGroup' }, 'response'), { version: 0, describeRecords });
    expect(text).toEqual(['errorCode: 0 NONE', 'assignment: 0x0001']);
  });
});

it.each([
  ['', '""'],
  ['plain', '"plain"'],
  ['a\n', '0x610a'],
  ['x'.repeat(70), `"${'x'.repeat(64)}"… (70 bytes)`],
])('bytesText of %j', (text, shown) => {
  expect(bytesText(Buffer.from(text))).toBe(shown);
});
