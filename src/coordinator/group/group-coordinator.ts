/**
 * What request handlers call: takes generated requests, finds the shard of each group, gives generated responses. Owns
 * the checks that need no group, the forms of old versions, and how errors of the runtime look in each response.
 * Also a listener to partitions: `broker.ts` tells it which partitions of `__consumer_offsets` this broker leads.
 */
import type { Clock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import { onDemand } from '../../base/on-demand';
import type { Random } from '../../base/random';
import type { TopicPartition } from '../../base/topic-partition';
import type { OffsetCommitRequest, OffsetCommitResponse } from '../../codec/generated/08-offset-commit';
import {
  newOffsetFetchResponseGroup,
  type OffsetFetchRequestGroup,
  type OffsetFetchResponseGroup,
} from '../../codec/generated/09-offset-fetch';
import {
  type JoinGroupRequest,
  type JoinGroupResponse,
  newJoinGroupResponse,
} from '../../codec/generated/11-join-group';
import {
  type HeartbeatRequest,
  type HeartbeatResponse,
  newHeartbeatResponse,
} from '../../codec/generated/12-heartbeat';
import {
  type LeaveGroupRequest,
  type LeaveGroupResponse,
  newLeaveGroupResponse,
  newMemberIdentity,
} from '../../codec/generated/13-leave-group';
import {
  newSyncGroupResponse,
  type SyncGroupRequest,
  type SyncGroupResponse,
} from '../../codec/generated/14-sync-group';
import { type DescribedGroup, newDescribedGroup } from '../../codec/generated/15-describe-groups';
import {
  type ListedGroup,
  type ListGroupsRequest,
  type ListGroupsResponse,
  newListGroupsResponse,
} from '../../codec/generated/16-list-groups';
import { type DeletableGroupResult, newDeletableGroupResult } from '../../codec/generated/42-delete-groups';
import {
  newOffsetDeleteResponse,
  type OffsetDeleteRequest,
  type OffsetDeleteResponse,
} from '../../codec/generated/47-offset-delete';
import { ErrorCode } from '../../codec/generated/errors';
import type { BrokerConfig } from '../../config/broker-config';
import { type Codec, isCodec } from '../../records/compression';
import type { PartitionReader, PartitionWriter } from '../partition-access';
import { CoordinatorRuntime } from '../runtime';
import { type GroupConfig, groupConfigOf } from './group-config';
import type { DeletedTopic, GroupOperation, GroupRequestContext } from './group-operation';
import { groupPartition } from './group-partition';
import { type GroupRecord, groupRecordCodec } from './group-records';
import { commitResponse } from './offset-requests';

/** Loaded with the first partition of `__consumer_offsets`. */
const shards = onDemand(() => require('./group-shard') as typeof import('./group-shard'));

const GROUP_METADATA_TOPIC = '__consumer_offsets';

/** Up to this version a request leaves for one member, and its answer has one error. */
const LAST_SINGLE_LEAVE = 2;
/** From this version on, SyncGroup must name protocol type and protocol (KIP-559). */
const SYNC_NAMES_PROTOCOL_FROM = 5;

export interface GroupCoordinatorOptions {
  readonly config: BrokerConfig;
  readonly writer: PartitionWriter;
  readonly reader: PartitionReader;
  /** The number of partitions of `__consumer_offsets`: as it is, or as it will be made. */
  readonly partitionCount: () => number;
  /** Whether offsets are kept whatever their age: those of another broker, whose retention is not known. */
  readonly retainsOffsets: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class GroupCoordinator {
  readonly #config: GroupConfig;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #partitionCount: () => number;
  readonly #runtime: CoordinatorRuntime<GroupOperation, GroupRecord>;

  constructor(options: GroupCoordinatorOptions) {
    const { config, writer, reader, partitionCount, retainsOffsets, clock, random, logger } = options;
    const groupConfig = groupConfigOf(config);
    this.#config = groupConfig;
    this.#random = random;
    this.#logger = logger;
    this.#partitionCount = partitionCount;
    this.#runtime = new CoordinatorRuntime(GROUP_METADATA_TOPIC, {
      makeShard: () => new (shards().GroupShard)({ config: groupConfig, logger, retainsOffsets }),
      codec: groupRecordCodec,
      writer,
      reader,
      clock,
      logger,
      get maxBatchBytes() {
        return config.get('message.max.bytes');
      },
      compressionCodec: compressionCodecOf(config),
      commitTimeoutMs: config.get('offsets.commit.timeout.ms'),
      loadBufferBytes: config.get('offsets.load.buffer.size'),
    });
  }

  /** The partition of `__consumer_offsets` whose leader coordinates the group. */
  partitionFor(groupId: string): number {
    return groupPartition(groupId, this.#partitionCount());
  }

  async joinGroup(context: GroupRequestContext, request: JoinGroupRequest): Promise<JoinGroupResponse> {
    const { groupId, memberId, sessionTimeoutMs } = request;
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = this.#config;
    const refuse = (errorCode: ErrorCode) => newJoinGroupResponse({ memberId, errorCode });
    if (groupId === '') return refuse(ErrorCode.INVALID_GROUP_ID);
    if (sessionTimeoutMs < minSessionTimeoutMs || sessionTimeoutMs > maxSessionTimeoutMs) {
      return refuse(ErrorCode.INVALID_SESSION_TIMEOUT);
    }
    const memberIdSuffix = uuidText(this.#random);
    const result = await this.#runtime.submit<JoinGroupResponse>(this.partitionFor(groupId), (token) => ({
      kind: 'join-group',
      token,
      context,
      request,
      memberIdSuffix,
    }));
    return result.ok ? result.value : refuse(result.error);
  }

  async syncGroup(context: GroupRequestContext, request: SyncGroupRequest): Promise<SyncGroupResponse> {
    const { groupId, protocolType, protocolName } = request;
    if (context.apiVersion >= SYNC_NAMES_PROTOCOL_FROM && (protocolType === null || protocolName === null)) {
      return newSyncGroupResponse({ errorCode: ErrorCode.INCONSISTENT_GROUP_PROTOCOL });
    }
    if (groupId === '') return newSyncGroupResponse({ errorCode: ErrorCode.INVALID_GROUP_ID });
    const result = await this.#runtime.submit<SyncGroupResponse>(this.partitionFor(groupId), (token) => ({
      kind: 'sync-group',
      token,
      request,
    }));
    return result.ok ? result.value : newSyncGroupResponse({ errorCode: result.error });
  }

  async heartbeat(request: HeartbeatRequest): Promise<HeartbeatResponse> {
    const { groupId } = request;
    if (groupId === '') return newHeartbeatResponse({ errorCode: ErrorCode.INVALID_GROUP_ID });
    const result = await this.#runtime.submit<HeartbeatResponse>(this.partitionFor(groupId), (token) => ({
      kind: 'heartbeat',
      token,
      request,
    }));
    if (result.ok) return result.value;
    // Sessions start anew at the end of the load: nothing to worry the member with.
    const isLoading = result.error === ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
    return newHeartbeatResponse({ errorCode: isLoading ? ErrorCode.NONE : result.error });
  }

  async leaveGroup(context: GroupRequestContext, request: LeaveGroupRequest): Promise<LeaveGroupResponse> {
    const { groupId, memberId } = request;
    if (groupId === '') return newLeaveGroupResponse({ errorCode: ErrorCode.INVALID_GROUP_ID });
    const isSingle = context.apiVersion <= LAST_SINGLE_LEAVE;
    const members = isSingle ? [newMemberIdentity({ memberId })] : request.members;
    const result = await this.#runtime.submit<LeaveGroupResponse>(this.partitionFor(groupId), (token) => ({
      kind: 'leave-group',
      token,
      request: { ...request, members },
    }));
    if (!result.ok) return newLeaveGroupResponse({ errorCode: result.error });
    if (!isSingle) return result.value;
    return newLeaveGroupResponse({ errorCode: result.value.members[0]?.errorCode ?? ErrorCode.NONE });
  }

  /** Topics must be known to exist; with topic ids, the names must be filled in. */
  async commitOffsets(context: GroupRequestContext, request: OffsetCommitRequest): Promise<OffsetCommitResponse> {
    const { apiVersion } = context;
    const partition = this.partitionFor(request.groupId);
    const result = await this.#runtime.submit<OffsetCommitResponse>(partition, (token) => ({
      kind: 'commit-offsets',
      token,
      apiVersion,
      request,
    }));
    return result.ok ? result.value : commitResponse(request, result.error);
  }

  /** One group, in the form of version 8 and later; with topic ids, the names must be filled in. */
  async fetchOffsets(group: OffsetFetchRequestGroup, requireStable: boolean): Promise<OffsetFetchResponseGroup> {
    const { groupId } = group;
    const result = await this.#runtime.submit<OffsetFetchResponseGroup>(this.partitionFor(groupId), (token) => ({
      kind: 'fetch-offsets',
      token,
      group,
      requireStable,
    }));
    if (result.ok) return result.value;
    // Consumers before 3.9 do not expect COORDINATOR_NOT_AVAILABLE here.
    const isUnavailable = result.error === ErrorCode.COORDINATOR_NOT_AVAILABLE;
    const errorCode = isUnavailable ? ErrorCode.NOT_COORDINATOR : result.error;
    return newOffsetFetchResponseGroup({ groupId, errorCode });
  }

  /** Topics and partitions must be known to exist. */
  async deleteOffsets(request: OffsetDeleteRequest): Promise<OffsetDeleteResponse> {
    const { groupId } = request;
    if (groupId === '') return newOffsetDeleteResponse({ errorCode: ErrorCode.INVALID_GROUP_ID });
    const result = await this.#runtime.submit<OffsetDeleteResponse>(this.partitionFor(groupId), (token) => ({
      kind: 'delete-offsets',
      token,
      request,
    }));
    return result.ok ? result.value : newOffsetDeleteResponse({ errorCode: result.error });
  }

  /** One per group, in order. */
  describeGroups(context: GroupRequestContext, groupIds: readonly string[]): Promise<DescribedGroup[]> {
    const { apiVersion } = context;
    return this.#perPartition(groupIds, async (partition, ids) => {
      const result = await this.#runtime.submit<DescribedGroup[]>(partition, (token) => ({
        kind: 'describe-groups',
        token,
        apiVersion,
        groupIds: ids,
      }));
      return result.ok
        ? result.value
        : ids.map((groupId) => newDescribedGroup({ groupId, errorCode: result.error, groupState: '' }));
    });
  }

  /** One per group, in order; a group named twice would be deleted once and then not found. */
  deleteGroups(groupIds: readonly string[]): Promise<DeletableGroupResult[]> {
    return this.#perPartition(groupIds, async (partition, ids) => {
      const result = await this.#runtime.submit<DeletableGroupResult[]>(partition, (token) => ({
        kind: 'delete-groups',
        token,
        groupIds: ids,
      }));
      return result.ok
        ? result.value
        : ids.map((groupId) => newDeletableGroupResult({ groupId, errorCode: result.error }));
    });
  }

  /** The groups that this broker coordinates; filters are compared without regard to case (KIP-518, KIP-848). */
  async listGroups(request: ListGroupsRequest): Promise<ListGroupsResponse> {
    const results = await Promise.all(
      this.#runtime
        .partitions()
        .map((partition) =>
          this.#runtime.submit<ListedGroup[]>(partition, (token) => ({ kind: 'list-groups', token })),
        ),
    );
    const groups: ListedGroup[] = [];
    for (const result of results) {
      if (result.ok) for (const group of result.value) groups.push(group);
      else if (result.error !== ErrorCode.NOT_COORDINATOR) return newListGroupsResponse({ errorCode: result.error });
    }
    const states = new Set(request.statesFilter.map((state) => state.trim().toLowerCase()));
    const types = new Set(request.typesFilter.map((type) => type.toLowerCase()));
    return newListGroupsResponse({
      groups: groups.filter(
        ({ groupState, groupType }) =>
          (states.size === 0 || states.has(groupState.toLowerCase())) &&
          (types.size === 0 || types.has(groupType.toLowerCase())),
      ),
    });
  }

  /**
   * Drops the offsets of deleted topics in every group. Resolves when that is kept, so that a successor starts clean.
   */
  async onTopicsDeleted(topics: readonly DeletedTopic[]): Promise<void> {
    if (topics.length === 0) return;
    await this.#runtime.loaded();
    const drop = async (partition: number): Promise<void> => {
      const result = await this.#runtime.submit<number>(partition, (token) => ({
        kind: 'drop-topic-offsets',
        token,
        topics,
      }));
      if (result.ok || result.error === ErrorCode.NOT_COORDINATOR) return;
      const names = topics.map(({ name }) => name);
      this.#logger.warn('offsets of deleted topics are left', { partition, topics: names, errorCode: result.error });
    };
    await Promise.all(this.#runtime.partitions().map(drop));
  }

  /** Resolves when what this broker leads has been loaded. */
  loaded(): Promise<void> {
    return this.#runtime.loaded();
  }

  /** Refuses what waits, with NOT_COORDINATOR, and everything from now on. */
  close(): void {
    this.#runtime.close();
  }

  onLeader({ topic, partition }: TopicPartition, leaderEpoch: number): void {
    if (topic === GROUP_METADATA_TOPIC) this.#runtime.load(partition, leaderEpoch);
  }

  onFollower({ topic, partition }: TopicPartition, leaderEpoch: number): void {
    if (topic === GROUP_METADATA_TOPIC) this.#runtime.unload(partition, leaderEpoch);
  }

  onHighWatermark({ topic, partition }: TopicPartition, offset: number): void {
    if (topic === GROUP_METADATA_TOPIC) this.#runtime.onHighWatermark(partition, offset);
  }

  onDeleted({ topic, partition }: TopicPartition): void {
    if (topic === GROUP_METADATA_TOPIC) this.#runtime.unload(partition);
  }

  onFailed({ topic, partition }: TopicPartition): void {
    if (topic === GROUP_METADATA_TOPIC) this.#runtime.unload(partition);
  }

  /** Asks each partition once for the groups it has; the answers come back in the order of the groups. */
  async #perPartition<T>(
    groupIds: readonly string[],
    ask: (partition: number, groupIds: readonly string[]) => Promise<T[]>,
  ): Promise<T[]> {
    const places = new Map<number, number[]>();
    for (const [at, groupId] of groupIds.entries()) {
      const partition = this.partitionFor(groupId);
      const indexes = places.get(partition);
      if (indexes) indexes.push(at);
      else places.set(partition, [at]);
    }
    const answers = new Array<T>(groupIds.length);
    await Promise.all(
      [...places].map(async ([partition, indexes]) => {
        const results = await ask(
          partition,
          indexes.map((at) => groupIds[at]!),
        );
        for (const [i, at] of indexes.entries()) answers[at] = results[i]!;
      }),
    );
    return answers;
  }
}

function compressionCodecOf(config: BrokerConfig): Codec {
  const bits = config.get('offsets.topic.compression.codec');
  return isCodec(bits) ? bits : 0;
}

/** A random version-4 UUID in the usual form, as Kafka puts at the end of member ids. */
function uuidText(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
