/** What generated codecs do beyond round trips: versions that lack a field, nulls, tags in every order. */
import { ZERO_UUID } from '../base/random';
import { decodeProduceRequest, encodeProduceRequest, newProduceRequest } from './generated/00-produce';
import { decodeFetchRequest, encodeFetchRequest, newFetchRequest, newFetchTopic } from './generated/01-fetch';
import { encodeOffsetFetchRequest, newOffsetFetchRequest } from './generated/09-offset-fetch';
import { decodeApiVersionsResponse } from './generated/18-api-versions';
import { ApiKey, apiOfKey, apis } from './generated/apis';
import { ErrorCode, errorName, isRetriable } from './generated/errors';
import {
  decodeConsumerGroupMemberMetadataValue,
  encodeConsumerGroupMemberMetadataValue,
  newConsumerGroupMemberMetadataValue,
} from './generated/records/consumer-group-member-metadata';
import { offsetCommitKeySchema, offsetCommitValueSchema } from './generated/records/offset-commit';
import { Reader } from './reader';
import { Writer } from './writer';

const TOPIC_ID = 'AAECAwQFBgcICQoLDA0ODw';

function encoded<M>(
  encode: (writer: Writer, message: M, version: number) => void,
  message: M,
  version: number,
): Buffer {
  const writer = new Writer();
  encode(writer, message, version);
  return writer.finishBuffer();
}

describe('fields that the version lacks', () => {
  it('hold their defaults after decoding', () => {
    const message = decodeFetchRequest(
      new Reader(encoded(encodeFetchRequest, newFetchRequest({ maxWaitMs: 5 }), 0)),
      0,
    );
    expect(message).toEqual(newFetchRequest({ maxWaitMs: 5 }));
    expect(message).toMatchObject({ maxBytes: 0x7fffffff, isolationLevel: 0, sessionEpoch: -1, clusterId: null });
  });

  it('are dropped when they may be ignored', () => {
    const message = newFetchRequest({ maxBytes: 1, topics: [newFetchTopic({ topic: 'a', topicId: TOPIC_ID })] });
    const decoded = decodeFetchRequest(new Reader(encoded(encodeFetchRequest, message, 0)), 0);
    expect(decoded.topics).toEqual([newFetchTopic({ topic: 'a', topicId: ZERO_UUID })]);
  });

  it('are a bug of the caller otherwise', () => {
    const message = newProduceRequest({ transactionalId: 'tx' });
    expect(() => encoded(encodeProduceRequest, message, 2)).toThrow(
      'ProduceRequest.transactionalId in a version without',
    );
    expect(encoded(encodeProduceRequest, message, 3)).toBeDefined();
  });

  it('say so when null has no form', () => {
    const message = newOffsetFetchRequest({ topics: null });
    expect(() => encoded(encodeOffsetFetchRequest, message, 1)).toThrow('OffsetFetchRequest.topics is null');
    expect(encoded(encodeOffsetFetchRequest, message, 2).toString('hex')).toBe('0000ffffffff');
  });
});

describe('tagged fields', () => {
  /** ApiVersions response v3, no error, no APIs, throttle 0, then the given section of tags. */
  const response = (tags: string) =>
    decodeApiVersionsResponse(new Reader(Buffer.from(`00000100000000${tags.replaceAll(' ', '')}`, 'hex')), 3);
  const finalizedEpoch = (value: string) => `01 08 ${value.padStart(16, '0')}`;

  it('come in any order, among unknown ones', () => {
    const tags = `04 ${finalizedEpoch('07')} 2a 01 ff 03 01 01 00 01 01`;
    expect(response(tags)).toMatchObject({ finalizedFeaturesEpoch: 7, zkMigrationReady: true, supportedFeatures: [] });
  });

  it('count as their last value when they come twice', () => {
    expect(response(`02 ${finalizedEpoch('07')} ${finalizedEpoch('09')}`).finalizedFeaturesEpoch).toBe(9);
  });

  it('must have the size that they say', () => {
    expect(() => response('01 03 02 0101')).toThrow('another size');
    expect(() => response('01 01 04 00000000')).toThrow('4 bytes needed, 0 left');
    expect(() => response('01 01 09 00')).toThrow('a tagged field of 9 bytes');
  });

  it('have another form of null structs', () => {
    const absent = newConsumerGroupMemberMetadataValue({ classicMemberMetadata: null });
    const bytes = encoded(encodeConsumerGroupMemberMetadataValue, absent, 0);
    expect(bytes.toString('hex')).toMatch(/01000100$/);
    expect(decodeConsumerGroupMemberMetadataValue(new Reader(bytes), 0).classicMemberMetadata).toBeNull();
  });
});

describe('records', () => {
  it('are slices of the frame after decoding', () => {
    const topicData = [{ name: 'a', topicId: ZERO_UUID, partitionData: [{ index: 0, records: Buffer.alloc(50, 3) }] }];
    const frame = encoded(encodeProduceRequest, newProduceRequest({ topicData }), 3);
    const records = decodeProduceRequest(new Reader(frame), 3).topicData[0]!.partitionData[0]!.records as Buffer;
    frame.fill(4, frame.length - 50);
    expect(records.equals(Buffer.alloc(50, 4))).toBe(true);
  });
});

describe('tables', () => {
  it('know keys and versions', () => {
    expect(ApiKey.Produce).toBe(0);
    expect(apiOfKey(ApiKey.InitProducerId)).toBe(apis.InitProducerId);
    expect(apis.InitProducerId).toMatchObject({ maxVersion: 5, newestKnownVersion: 6 });
    expect(apis.SaslHandshake.firstFlexible).toBe(Number.POSITIVE_INFINITY);
    expect(apiOfKey(-1)).toBeUndefined();
    expect(apiOfKey(4711)).toBeUndefined();
    expect([offsetCommitKeySchema.id, offsetCommitValueSchema.highestVersion]).toEqual([1, 4]);
  });

  it('load codecs by row', () => {
    const writer = new Writer();
    apis.Fetch.encodeRequest(writer, newFetchRequest({ minBytes: 3 }), 12);
    expect(apis.Fetch.decodeRequest(new Reader(writer.finishBuffer()), 12).minBytes).toBe(3);
  });

  it('name errors', () => {
    expect(ErrorCode.OFFSET_OUT_OF_RANGE).toBe(1);
    expect(errorName(-1)).toBe('UNKNOWN_SERVER_ERROR');
    expect(errorName(9999)).toBe('9999');
    expect(isRetriable(ErrorCode.NOT_LEADER_OR_FOLLOWER)).toBe(true);
    expect(isRetriable(ErrorCode.OFFSET_OUT_OF_RANGE)).toBe(false);
  });
});
