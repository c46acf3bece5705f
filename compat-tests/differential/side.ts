/**
 * One of the two brokers of a comparison: its connections, and what it has told of ids, so that placeholders become
 * values and values symbols. Owns nothing that outlives a round but the address.
 */

import { ZERO_UUID } from '../../src/base/random';
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import { newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { requestFrame, WireClient } from '../../src/testing/wire-client';
import { newProducerId } from '../scenarios/data-calls';
import { eventually } from '../scenarios/fixture';
import { coordinatorOf } from '../scenarios/group-calls';
import { encodeRecords } from './record-bytes';
import { apiOf, type Placeholder, PREFIX_SIGN, type Step, type VersionRanges } from './steps';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What came of a step: an answer, or the end of its connection. */
export type Outcome = { readonly answer: unknown } | { readonly closed: true };

/** A topic id of no topic. */
const UNKNOWN_ID = Buffer.alloc(16, 9).toString('base64url');
/** What producers and members that were never made are sent as. */
const UNKNOWN_PRODUCER_ID = 987_654_321;
const UNKNOWN_SESSION_ID = 1_234_567;

export class Side {
  readonly name: string;
  readonly address: Address;
  #connections = new Map<string, WireClient>();
  #prefix = '';
  #baseTimeMs = 0;
  readonly #topicIds = new Map<string, string>();
  readonly #members = new Map<number, { memberId: string; generation: number; ids: number }>();
  readonly #sessions = new Map<number, { id: number; epoch: number }>();
  readonly #producers = new Map<number, number>();
  readonly #symbols = new Map<string, string>();

  constructor(name: string, address: Address) {
    this.name = name;
    this.address = address;
  }

  /** Forgets everything of the round before. */
  begin(prefix: string, baseTimeMs: number): void {
    this.close();
    this.#prefix = prefix;
    this.#baseTimeMs = baseTimeMs;
    for (const known of [this.#topicIds, this.#members, this.#sessions, this.#producers, this.#symbols]) known.clear();
  }

  /** Deletes the round's topics, so that a long comparison does not fill the brokers; ends all connections. */
  async end(): Promise<void> {
    const topicNames = [...this.#topicIds.keys()].map((name) => String(this.resolve(name)));
    if (topicNames.length > 0) {
      const client = await this.connection('settle');
      const request = newDeleteTopicsRequest({ topicNames, timeoutMs: 10_000 });
      await client.call({ api: apis.DeleteTopics, version: 5, request });
    }
    this.close();
  }

  close(): void {
    for (const client of this.#connections.values()) client.close();
    this.#connections = new Map();
  }

  get prefix(): string {
    return this.#prefix;
  }

  async connection(name: string): Promise<WireClient> {
    const open = this.#connections.get(name);
    if (open !== undefined && !open.raw.closed) return open;
    const client = await WireClient.connect(this.address.port, { host: this.address.host, clientId: `client ${name}` });
    this.#connections.set(name, client);
    return client;
  }

  async versions(): Promise<VersionRanges> {
    const client = await this.connection('versions');
    const { apiKeys } = await client.call({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() });
    return new Map(apiKeys.map((range) => [range.apiKey, range]));
  }

  /** Sends the step; resolves with what comes of it, whenever that is. */
  async send(step: Step): Promise<Outcome> {
    const client = await this.connection(step.connection);
    const call = { api: apiOf(step.api), version: step.version, request: this.resolve(step.request) };
    try {
      if (!isAnswered(step)) return await this.#sendUnanswered(client, call);
      return { answer: await client.call(call, (frame) => spoil(frame, step)) };
    } catch (error) {
      if (client.raw.closed) return { closed: true };
      throw error;
    }
  }

  /** Whether the connection lives shows in the answer to what follows. */
  async #sendUnanswered(client: WireClient, call: Parameters<WireClient['post']>[0]): Promise<Outcome> {
    client.post(call);
    await client.call({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() });
    return { answer: 'none, and the connection lives' };
  }

  /** The frame of a step, for a report. */
  frame(step: Step): Buffer {
    const frame = requestFrame(
      { api: apiOf(step.api), version: step.version, request: this.resolve(step.request) },
      1,
      `client ${step.connection}`,
    );
    return spoil(frame, step);
  }

  /** `template` with values instead of placeholders. */
  resolve(template: unknown): unknown {
    if (typeof template === 'string') return template.replace(PREFIX_SIGN, this.#prefix);
    if (template === null || typeof template !== 'object' || Buffer.isBuffer(template)) return template;
    if (Array.isArray(template)) return template.map((element) => this.resolve(element));
    if ('$' in template) return this.#value(template as Placeholder);
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, this.resolve(value)]));
  }

  #value(placeholder: Placeholder): unknown {
    switch (placeholder.$) {
      case 'topicId':
        return this.#topicIds.get(placeholder.topic) ?? UNKNOWN_ID;
      case 'memberId':
        return this.#members.get(placeholder.actor)?.memberId ?? '';
      case 'formerMemberId': {
        const known = this.#members.get(placeholder.actor);
        return known === undefined || known.generation < 0 ? 'nobody' : known.memberId;
      }
      case 'generation':
        return (this.#members.get(placeholder.actor)?.generation ?? -1) + placeholder.plus;
      case 'sessionId':
        return this.#sessions.get(placeholder.session)?.id ?? UNKNOWN_SESSION_ID;
      case 'sessionEpoch':
        return (this.#sessions.get(placeholder.session)?.epoch ?? 1) + placeholder.plus;
      case 'time':
        return this.#baseTimeMs + placeholder.plus;
      case 'records':
        return encodeRecords(placeholder.spec, {
          baseTimeMs: this.#baseTimeMs,
          producerId: (index) => this.#producers.get(index) ?? UNKNOWN_PRODUCER_ID,
        });
    }
  }

  /** Takes what the answer to `step` tells of ids. */
  learn(step: Step, answer: unknown): void {
    const told = answer as Record<string, unknown>;
    const { errorCode } = told;
    if (step.actor !== undefined && step.api === 'JoinGroup') {
      const isMember = errorCode === ErrorCode.NONE;
      const known = this.#members.get(step.actor) ?? { memberId: '', generation: -1, ids: 0 };
      if ((isMember || errorCode === ErrorCode.MEMBER_ID_REQUIRED) && told.memberId !== known.memberId) {
        known.memberId = String(told.memberId);
        this.#symbols.set(known.memberId, `<member ${step.actor}.${known.ids++}>`);
      }
      if (isMember) known.generation = Number(told.generationId);
      if (errorCode === ErrorCode.UNKNOWN_MEMBER_ID) known.memberId = '';
      this.#members.set(step.actor, known);
    }
    if (step.session !== undefined && errorCode === ErrorCode.NONE) {
      const epoch = this.#sessions.get(step.session)?.epoch ?? 0;
      const request = step.request as { sessionEpoch: unknown };
      const id = Number(told.sessionId);
      this.#sessions.set(step.session, { id, epoch: request.sessionEpoch === 0 ? 1 : epoch + 1 });
    }
    if (step.producer !== undefined && errorCode === ErrorCode.NONE) {
      this.#producers.set(step.producer, Number(told.producerId));
    }
  }

  /** The symbol of a value that is this broker's own. */
  symbol(text: string): string {
    const known = this.#symbols.get(text);
    if (known !== undefined) return known;
    // Members that still wait have ids that nobody was told.
    const told = text.replace(/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '-<unknown>');
    return this.#prefix === '' ? told : told.replaceAll(this.#prefix, PREFIX_SIGN);
  }

  producerSymbol(producerId: number): string | number {
    for (const [index, id] of this.#producers) if (id === producerId) return `<producer ${index}>`;
    return producerId === -1 || producerId === UNKNOWN_PRODUCER_ID ? producerId : '<producer>';
  }

  /** Waits until there are a coordinator, whose topic is made when the first group asks, and producer ids. */
  async settle(): Promise<void> {
    const client = await this.connection('settle');
    await coordinatorOf(client, 'any group');
    await eventually('producer ids', {
      attempt: () => newProducerId(client),
      holds: ({ producerId }) => producerId >= 0,
    });
  }

  /** Waits until topics serve that many partitions at least, or are gone where that is 0; learns their ids. */
  async settleTopics(wanted: ReadonlyMap<string, number>): Promise<void> {
    const client = await this.connection('settle');
    const topics = [...wanted.keys()].map((name) => newMetadataRequestTopic({ name }));
    const request = newMetadataRequest({ topics, allowAutoTopicCreation: false });
    for (let round = 0; round < 500; round++) {
      const answer = await client.call({ api: apis.Metadata, version: 12, request });
      const isSettled = answer.topics.every(({ name, partitions }) => {
        const count = wanted.get(name ?? '') ?? 0;
        return count === 0 ? partitions.length === 0 : partitions.length >= count;
      });
      if (isSettled && (await this.#areServed(answer.topics))) return this.#learnIds(answer.topics);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${this.name}: not served: ${[...wanted.keys()].join(', ')}`);
  }

  #learnIds(topics: readonly { name: string | null; topicId: string; errorCode: number }[]): void {
    for (const { name, topicId, errorCode } of topics) {
      if (errorCode !== ErrorCode.NONE || topicId === ZERO_UUID || name === null) continue;
      const symbol = name.replace(this.#prefix, PREFIX_SIGN);
      this.#topicIds.set(symbol, topicId);
      this.#symbols.set(topicId, `<id of ${symbol}>`);
    }
  }

  async #areServed(
    topics: readonly { name: string | null; partitions: readonly { partitionIndex: number }[] }[],
  ): Promise<boolean> {
    const client = await this.connection('settle');
    const request = {
      replicaId: -1,
      isolationLevel: 0,
      timeoutMs: 1000,
      topics: topics.map(({ name, partitions }) => ({
        name: name ?? '',
        partitions: partitions.map(({ partitionIndex }) => ({
          partitionIndex,
          currentLeaderEpoch: -1,
          timestamp: -2,
          maxNumOffsets: 1,
        })),
      })),
    };
    const answer = await client.call({ api: apis.ListOffsets, version: 7, request });
    return answer.topics.every(({ partitions }) => partitions.every(({ errorCode }) => errorCode === ErrorCode.NONE));
  }
}

function isAnswered({ api, request }: Step): boolean {
  return api !== 'Produce' || (request as { acks: number }).acks !== 0;
}

/** Where the body starts: behind length, key, version, correlation id and client id. */
function bodyStart(frame: Buffer): number {
  return 14 + frame.readInt16BE(12);
}

function spoil(frame: Buffer, step: Step): Buffer {
  const extra = step.extraBytes ?? 0;
  const start = bodyStart(frame);
  const spoiled =
    extra >= 0
      ? Buffer.concat([frame, Buffer.alloc(extra)])
      : Buffer.from(frame.subarray(0, Math.max(start, frame.length + extra)));
  for (const { at, xor } of step.spoil ?? []) {
    const place = start + Math.floor(at * (spoiled.length - start));
    if (place < spoiled.length) spoiled[place]! ^= xor;
  }
  spoiled.writeInt32BE(spoiled.length - 4);
  return spoiled;
}
