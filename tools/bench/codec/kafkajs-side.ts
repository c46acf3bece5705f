/**
 * What kafkajs's encoder and decoder need for the messages of the benchmark. Where kafkajs has the direction itself (it
 * writes requests and reads responses) its own function is used; the other direction is put together here from its
 * `Encoder` and `Decoder`, in its own manner.
 */
import path from 'node:path';
import type { FetchResponse } from '../../../src/codec/generated/01-fetch';
import type { MetadataResponse } from '../../../src/codec/generated/03-metadata';
import type { JoinGroupResponse } from '../../../src/codec/generated/11-join-group';

interface KafkajsDecoder {
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readInt64(): { toString(): string };
  readString(): string | null;
  readBytes(): Buffer | null;
  readArray<T>(read: (decoder: KafkajsDecoder) => T): T[];
}

interface KafkajsEncoder {
  readonly buffer: Buffer;
  writeInt8(value: number): KafkajsEncoder;
  writeInt16(value: number): KafkajsEncoder;
  writeInt32(value: number): KafkajsEncoder;
  writeInt64(value: number): KafkajsEncoder;
  writeBoolean(value: boolean): KafkajsEncoder;
  writeString(value: string | null): KafkajsEncoder;
  writeBytes(value: Buffer): KafkajsEncoder;
  writeArray(values: readonly (KafkajsEncoder | number)[]): KafkajsEncoder;
}

const protocol = path.join(path.dirname(require.resolve('kafkajs/package.json')), 'src/protocol');
const Encoder = require(path.join(protocol, 'encoder.js')) as new () => KafkajsEncoder;
const Decoder = require(path.join(protocol, 'decoder.js')) as new (bytes: Buffer) => KafkajsDecoder;

/** Produce v3 to v8. */
export function decodeProduce(bytes: Buffer): unknown {
  const decoder = new Decoder(bytes);
  return {
    transactionalId: decoder.readString(),
    acks: decoder.readInt16(),
    timeout: decoder.readInt32(),
    topicData: decoder.readArray((topic) => ({
      topic: topic.readString(),
      partitions: topic.readArray((partition) => ({
        partition: partition.readInt32(),
        records: partition.readBytes(),
      })),
    })),
  };
}

/** The framing of Produce v3 to v8 around batches that are made already. */
export function encodeProduce(topics: readonly { name: string; partitions: readonly Buffer[] }[]): Buffer {
  const encoded = topics.map(({ name, partitions }) =>
    new Encoder()
      .writeString(name)
      .writeArray(partitions.map((batch, index) => new Encoder().writeInt32(index).writeBytes(batch))),
  );
  return new Encoder().writeString(null).writeInt16(-1).writeInt32(30_000).writeArray(encoded).buffer;
}

/** Fetch v11. */
export function encodeFetch({ responses }: FetchResponse): Buffer {
  const topics = responses.map(({ topic, partitions }) =>
    new Encoder().writeString(topic).writeArray(
      partitions.map((partition) =>
        new Encoder()
          .writeInt32(partition.partitionIndex)
          .writeInt16(partition.errorCode)
          .writeInt64(partition.highWatermark)
          .writeInt64(partition.lastStableOffset)
          .writeInt64(partition.logStartOffset)
          .writeArray([])
          .writeInt32(partition.preferredReadReplica)
          .writeBytes(partition.records as Buffer),
      ),
    ),
  );
  return new Encoder().writeInt32(0).writeInt16(0).writeInt32(0).writeArray(topics).buffer;
}

/** Metadata v6. */
export function encodeMetadata({ brokers, topics }: MetadataResponse): Buffer {
  const encodedBrokers = brokers.map(({ nodeId, host, port, rack }) =>
    new Encoder().writeInt32(nodeId).writeString(host).writeInt32(port).writeString(rack),
  );
  const encodedTopics = topics.map(({ errorCode, name, isInternal, partitions }) =>
    new Encoder()
      .writeInt16(errorCode)
      .writeString(name)
      .writeBoolean(isInternal)
      .writeArray(
        partitions.map((partition) =>
          new Encoder()
            .writeInt16(partition.errorCode)
            .writeInt32(partition.partitionIndex)
            .writeInt32(partition.leaderId)
            .writeArray(partition.replicaNodes)
            .writeArray(partition.isrNodes)
            .writeArray(partition.offlineReplicas),
        ),
      ),
  );
  return new Encoder()
    .writeInt32(0)
    .writeArray(encodedBrokers)
    .writeString('cluster')
    .writeInt32(1)
    .writeArray(encodedTopics).buffer;
}

/** JoinGroup v5. */
export function encodeJoinGroup(message: JoinGroupResponse): Buffer {
  const members = message.members.map(({ memberId, groupInstanceId, metadata }) =>
    new Encoder().writeString(memberId).writeString(groupInstanceId).writeBytes(metadata),
  );
  return new Encoder()
    .writeInt32(0)
    .writeInt16(0)
    .writeInt32(message.generationId)
    .writeString(message.protocolName)
    .writeString(message.leader)
    .writeString(message.memberId)
    .writeArray(members).buffer;
}
