/**
 * A client for long measurements: requests exactly as told, many in flight, answers cut from the stream as they come.
 * Speaks versions that Odradek and Apache Kafka 4 both know. Owns the socket and the few requests the benchmarks make.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../../src/codec/api';
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
} from '../../../src/codec/generated/00-produce';
import { newFetchPartition, newFetchRequest, newFetchTopic } from '../../../src/codec/generated/01-fetch';
import { newMetadataRequest, newMetadataRequestTopic } from '../../../src/codec/generated/03-metadata';
import {
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../../src/codec/generated/19-create-topics';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../../../src/codec/generated/44-incremental-alter-configs';
import { apis } from '../../../src/codec/generated/apis';
import { ErrorCode } from '../../../src/codec/generated/errors';
import { decodeResponseHeader } from '../../../src/codec/header';
import { Reader } from '../../../src/codec/reader';
import { requestFrame, type WireRequest } from '../../../src/testing/wire-client';

const TIMEOUT_MS = 120_000;
const NOT_LED_YET: ReadonlySet<number> = new Set([
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
]);
/** How long a partition that exists may be without a leader that takes its records. */
const LEADER_LIMIT_MS = 60_000;
const LEADER_PAUSE_MS = 100;
/** ConfigResource.Type and AlterConfigOp.OpType of Kafka. */
const TOPIC_RESOURCE = 2;
const SET_CONFIG = 0;

interface Waiting {
  take(frame: Buffer): void;
  fail(error: Error): void;
}

export class Wire {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #received: Buffer[] = [];
  #bytes = 0;
  #correlationId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => this.#onData(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const waiting of this.#waiting.splice(0)) waiting.fail(new Error('the broker closed the connection'));
    });
  }

  static open(bootstrap: string): Promise<Wire> {
    const [host = '', port = ''] = bootstrap.split(':');
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Wire(socket)));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  call<Q, R>(call: WireRequest<Q, R>): Promise<R> {
    const api = call.api as Api<never, unknown>;
    if (this.#socket.destroyed) return Promise.reject(new Error('the broker closed the connection'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        fail: reject,
        take: (frame) => {
          const reader = new Reader(frame);
          decodeResponseHeader(reader, api, call.version);
          resolve(call.api.decodeResponse(reader, call.version));
        },
      });
      this.#socket.write(requestFrame(call, ++this.#correlationId, 'bench'));
    });
  }

  async createTopics(
    topics: readonly { name: string; partitions: number; configs?: Readonly<Record<string, string>> }[],
  ): Promise<void> {
    const request = newCreateTopicsRequest({
      timeoutMs: TIMEOUT_MS,
      topics: topics.map(({ name, partitions, configs = {} }) =>
        newCreatableTopic({
          name,
          numPartitions: partitions,
          replicationFactor: 1,
          configs: Object.entries(configs).map(([key, value]) => newCreatableTopicConfig({ name: key, value })),
        }),
      ),
    });
    const answer = await this.call({ api: apis.CreateTopics, version: 5, request });
    for (const { name, errorCode, errorMessage } of answer.topics) {
      if (errorCode !== 0) throw new Error(`topic ${name} was not created: ${errorCode} ${errorMessage}`);
    }
  }

  /** How many partitions of these topics have a leader. */
  async partitionsLed(topics: readonly string[]): Promise<number> {
    const request = newMetadataRequest({
      topics: topics.map((name) => newMetadataRequestTopic({ name })),
      allowAutoTopicCreation: false,
    });
    const answer = await this.call({ api: apis.Metadata, version: 9, request });
    let led = 0;
    for (const { errorCode, partitions } of answer.topics) {
      if (errorCode !== ErrorCode.NONE) continue;
      led += partitions.filter((each) => each.errorCode === ErrorCode.NONE && each.leaderId >= 0).length;
    }
    return led;
  }

  async alterTopic(topic: string, configs: Readonly<Record<string, string>>): Promise<void> {
    const request = newIncrementalAlterConfigsRequest({
      resources: [
        newAlterConfigsResource({
          resourceType: TOPIC_RESOURCE,
          resourceName: topic,
          configs: Object.entries(configs).map(([name, value]) =>
            newAlterableConfig({ name, configOperation: SET_CONFIG, value }),
          ),
        }),
      ],
    });
    const answer = await this.call({ api: apis.IncrementalAlterConfigs, version: 0, request });
    const { errorCode, errorMessage } = answer.responses[0]!;
    if (errorCode !== 0) throw new Error(`settings of ${topic} were not changed: ${errorCode} ${errorMessage}`);
  }

  /** One batch for each partition; acks=all. Gives the base offsets. Kafka leads a new partition a moment later. */
  async produce(topic: string, batches: readonly (readonly [partition: number, records: Buffer])[]): Promise<number[]> {
    const offsets = new Map<number, number>();
    const startedMs = performance.now();
    while (offsets.size < batches.length) {
      const missing = batches.filter(([index]) => !offsets.has(index));
      const partitionData = missing.map(([index, records]) => newPartitionProduceData({ index, records }));
      const topicData = [newTopicProduceData({ name: topic, partitionData })];
      const request = newProduceRequest({ acks: -1, timeoutMs: TIMEOUT_MS, topicData });
      const answer = await this.call({ api: apis.Produce, version: 9, request });
      for (const { index, errorCode, errorMessage, baseOffset } of answer.responses[0]!.partitionResponses) {
        if (errorCode === ErrorCode.NONE) offsets.set(index, baseOffset);
        else if (!NOT_LED_YET.has(errorCode) || performance.now() - startedMs > LEADER_LIMIT_MS) {
          throw new Error(`produce to ${topic}-${index}: ${errorCode} ${errorMessage}`);
        }
      }
      if (offsets.size < batches.length) await sleep(LEADER_PAUSE_MS);
    }
    return batches.map(([index]) => offsets.get(index)!);
  }

  /** The bytes from each offset on. */
  async fetch(
    topic: string,
    wanted: readonly { partition: number; offset: number; maxBytes: number }[],
  ): Promise<Map<number, Buffer>> {
    const partitions = wanted.map(({ partition, offset, maxBytes }) =>
      newFetchPartition({ partition, fetchOffset: offset, partitionMaxBytes: maxBytes }),
    );
    const topics = [newFetchTopic({ topic, partitions })];
    const request = newFetchRequest({ maxWaitMs: 0, minBytes: 1, maxBytes: 50_000_000, topics });
    const answer = await this.call({ api: apis.Fetch, version: 11, request });
    return new Map(
      answer.responses[0]!.partitions.map(({ partitionIndex, errorCode, records }) => {
        if (errorCode !== 0) throw new Error(`fetch of ${topic}-${partitionIndex}: error ${errorCode}`);
        return [partitionIndex, (records ?? Buffer.alloc(0)) as Buffer];
      }),
    );
  }

  #onData(data: Buffer): void {
    this.#received.push(data);
    this.#bytes += data.length;
    for (;;) {
      if (this.#bytes < 4) return;
      if (this.#received[0]!.length < 4) this.#received = [Buffer.concat(this.#received)];
      const size = this.#received[0]!.readInt32BE(0);
      if (this.#bytes < 4 + size) return;
      const all = this.#received.length === 1 ? this.#received[0]! : Buffer.concat(this.#received);
      const rest = all.subarray(4 + size);
      this.#received = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
      this.#waiting.shift()?.take(all.subarray(4, 4 + size));
    }
  }
}
