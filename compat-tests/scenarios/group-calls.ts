/**
 * Requests about groups as scenarios send them, and a member that does what a client's coordinator loop does, one step
 * at a time. Errors are answers: nothing is retried but the search for a coordinator.
 */
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
  type OffsetCommitResponse,
} from '../../src/codec/generated/08-offset-commit';
import {
  newOffsetFetchRequest,
  newOffsetFetchRequestTopic,
  type OffsetFetchResponse,
  type OffsetFetchResponsePartition,
} from '../../src/codec/generated/09-offset-fetch';
import { type FindCoordinatorResponse, newFindCoordinatorRequest } from '../../src/codec/generated/10-find-coordinator';
import { type JoinGroupResponse, newJoinGroupRequest } from '../../src/codec/generated/11-join-group';
import { newHeartbeatRequest } from '../../src/codec/generated/12-heartbeat';
import {
  type LeaveGroupResponse,
  type MemberIdentity,
  newLeaveGroupRequest,
  newMemberIdentity,
} from '../../src/codec/generated/13-leave-group';
import { newSyncGroupRequest, type SyncGroupResponse } from '../../src/codec/generated/14-sync-group';
import { type DescribedGroup, newDescribeGroupsRequest } from '../../src/codec/generated/15-describe-groups';
import { type ListedGroup, newListGroupsRequest } from '../../src/codec/generated/16-list-groups';
import { newDeleteGroupsRequest } from '../../src/codec/generated/42-delete-groups';
import {
  newOffsetDeleteRequest,
  newOffsetDeleteRequestPartition,
  newOffsetDeleteRequestTopic,
  type OffsetDeleteResponse,
} from '../../src/codec/generated/47-offset-delete';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import {
  encodeConsumerProtocolSubscription,
  newConsumerProtocolSubscription,
} from '../../src/codec/generated/records/consumer-protocol-subscription';
import { Writer } from '../../src/codec/writer';
import type { WireClient } from '../../src/testing/wire-client';
import { eventually } from './fixture';

const JOIN_VERSION = 7;

/** Where the group's coordinator is, once there is one. */
export function coordinatorOf(client: WireClient, group: string): Promise<FindCoordinatorResponse> {
  return eventually(`a coordinator of ${group}`, {
    attempt: () => {
      const request = newFindCoordinatorRequest({ key: group, keyType: 0 });
      return client.call({ api: apis.FindCoordinator, version: 2, request });
    },
    holds: ({ errorCode }) => errorCode === ErrorCode.NONE,
  });
}

/** The metadata of a consumer that wants these topics. */
export function subscription(...topics: string[]): Buffer {
  const writer = new Writer();
  writer.int16(0);
  encodeConsumerProtocolSubscription(writer, newConsumerProtocolSubscription({ topics }), 0);
  return writer.finishBuffer();
}

export interface JoinOptions {
  readonly groupId: string;
  /** Empty for a new one. */
  readonly memberId?: string;
  readonly groupInstanceId?: string | null;
  readonly protocolType?: string;
  /** Names, or names with metadata; `range` when not given. */
  readonly protocols?: readonly (string | readonly [string, Buffer])[];
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly version?: number;
}

export function join(client: WireClient, o: JoinOptions): Promise<JoinGroupResponse> {
  const protocols = (o.protocols ?? ['range']).map((protocol) => {
    const [name, metadata] =
      typeof protocol === 'string' ? [protocol, Buffer.from(`${protocol} of ${o.groupId}`)] : protocol;
    return { name, metadata };
  });
  const request = newJoinGroupRequest({
    groupId: o.groupId,
    memberId: o.memberId ?? '',
    groupInstanceId: o.groupInstanceId ?? null,
    protocolType: o.protocolType ?? 'consumer',
    protocols,
    sessionTimeoutMs: o.sessionTimeoutMs ?? 10_000,
    rebalanceTimeoutMs: o.rebalanceTimeoutMs ?? 10_000,
  });
  return client.call({ api: apis.JoinGroup, version: o.version ?? JOIN_VERSION, request });
}

export interface SyncOptions {
  readonly groupId: string;
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId?: string | null;
  readonly protocolType?: string;
  readonly protocolName?: string;
  /** By member id. */
  readonly assignments?: Readonly<Record<string, string>>;
  readonly version?: number;
}

export function sync(client: WireClient, o: SyncOptions): Promise<SyncGroupResponse> {
  const request = newSyncGroupRequest({
    groupId: o.groupId,
    memberId: o.memberId,
    generationId: o.generationId,
    groupInstanceId: o.groupInstanceId ?? null,
    protocolType: o.protocolType ?? 'consumer',
    protocolName: o.protocolName ?? 'range',
    assignments: Object.entries(o.assignments ?? {}).map(([memberId, text]) => ({
      memberId,
      assignment: Buffer.from(text),
    })),
  });
  return client.call({ api: apis.SyncGroup, version: o.version ?? 5, request });
}

export async function heartbeat(
  client: WireClient,
  o: { groupId: string; memberId: string; generationId: number; groupInstanceId?: string | null },
): Promise<number> {
  const request = newHeartbeatRequest({ ...o, groupInstanceId: o.groupInstanceId ?? null });
  return (await client.call({ api: apis.Heartbeat, version: 4, request })).errorCode;
}

export function leave(
  client: WireClient,
  groupId: string,
  members: readonly Partial<MemberIdentity>[],
): Promise<LeaveGroupResponse> {
  const request = newLeaveGroupRequest({ groupId, members: members.map(newMemberIdentity) });
  return client.call({ api: apis.LeaveGroup, version: 4, request });
}

export async function describeGroups(client: WireClient, ...groups: string[]): Promise<DescribedGroup[]> {
  const request = newDescribeGroupsRequest({ groups });
  return (await client.call({ api: apis.DescribeGroups, version: 5, request })).groups;
}

export async function listGroups(
  client: WireClient,
  o: { states?: string[]; version?: number } = {},
): Promise<ListedGroup[]> {
  const request = newListGroupsRequest({ statesFilter: o.states ?? [] });
  return (await client.call({ api: apis.ListGroups, version: o.version ?? 4, request })).groups;
}

/** One offset to commit. */
export interface Commit {
  readonly topic: string;
  readonly partition?: number;
  readonly offset: number;
  readonly metadata?: string | null;
}

export interface CommitOptions {
  readonly groupId: string;
  readonly generationId?: number;
  readonly memberId?: string;
  readonly version?: number;
}

export function commitCall(
  client: WireClient,
  o: CommitOptions & { commits: readonly Commit[] },
): Promise<OffsetCommitResponse> {
  const request = newOffsetCommitRequest({
    groupId: o.groupId,
    generationIdOrMemberEpoch: o.generationId ?? -1,
    memberId: o.memberId ?? '',
  });
  for (const { topic, partition, offset, metadata } of o.commits) {
    const last = request.topics.at(-1);
    const one = newOffsetCommitRequestPartition({
      partitionIndex: partition ?? 0,
      committedOffset: offset,
      committedMetadata: metadata === undefined ? '' : metadata,
    });
    if (last?.name === topic) last.partitions.push(one);
    else request.topics.push(newOffsetCommitRequestTopic({ name: topic, partitions: [one] }));
  }
  return client.call({ api: apis.OffsetCommit, version: o.version ?? 8, request });
}

/** Commits one offset; the error. */
export async function commit(client: WireClient, o: CommitOptions & Commit): Promise<number> {
  const { topics } = await commitCall(client, { ...o, commits: [o] });
  return topics[0]!.partitions[0]!.errorCode;
}

/** The committed offsets of these partitions, of all when null. */
export function committedCall(
  client: WireClient,
  o: { groupId: string; wanted: readonly { topic: string; partitions: number[] }[] | null; version?: number },
): Promise<OffsetFetchResponse> {
  const topics = o.wanted?.map(({ topic, partitions }) =>
    newOffsetFetchRequestTopic({ name: topic, partitionIndexes: partitions }),
  );
  const request = newOffsetFetchRequest({ groupId: o.groupId, topics: topics ?? null });
  return client.call({ api: apis.OffsetFetch, version: o.version ?? 7, request });
}

export async function committed(
  client: WireClient,
  o: { groupId: string; topic: string; partition?: number; version?: number },
): Promise<OffsetFetchResponsePartition> {
  const wanted = [{ topic: o.topic, partitions: [o.partition ?? 0] }];
  const { topics } = await committedCall(client, { ...o, wanted });
  return topics[0]!.partitions[0]!;
}

export function deleteOffsets(
  client: WireClient,
  groupId: string,
  topics: readonly string[],
): Promise<OffsetDeleteResponse> {
  const request = newOffsetDeleteRequest({
    groupId,
    topics: topics.map((name) =>
      newOffsetDeleteRequestTopic({ name, partitions: [newOffsetDeleteRequestPartition({ partitionIndex: 0 })] }),
    ),
  });
  return client.call({ api: apis.OffsetDelete, version: 0, request });
}

export async function deleteGroup(client: WireClient, groupId: string): Promise<number> {
  const request = newDeleteGroupsRequest({ groupsNames: [groupId] });
  const { results } = await client.call({ api: apis.DeleteGroups, version: 2, request });
  return results[0]!.errorCode;
}

/** A member on a connection of its own, since a join that waits blocks the connection. */
export class Member {
  readonly client: WireClient;
  readonly groupId: string;
  readonly #options: Omit<JoinOptions, 'groupId' | 'memberId'>;
  memberId = '';
  generationId = -1;
  protocolName = '';

  constructor(client: WireClient, groupId: string, options: Omit<JoinOptions, 'groupId' | 'memberId'> = {}) {
    this.client = client;
    this.groupId = groupId;
    this.#options = options;
  }

  get groupInstanceId(): string | null {
    return this.#options.groupInstanceId ?? null;
  }

  /** Joins, with the id that it is told to join with; remembers what it became. */
  async join(): Promise<JoinGroupResponse> {
    const first = await this.#join();
    if (first.errorCode !== ErrorCode.MEMBER_ID_REQUIRED) return this.#note(first);
    this.memberId = first.memberId;
    return this.#note(await this.#join());
  }

  #join(): Promise<JoinGroupResponse> {
    return join(this.client, { groupId: this.groupId, memberId: this.memberId, ...this.#options });
  }

  #note(answer: JoinGroupResponse): JoinGroupResponse {
    if (answer.errorCode === ErrorCode.NONE) {
      this.memberId = answer.memberId;
      this.generationId = answer.generationId;
      this.protocolName = answer.protocolName ?? '';
    }
    return answer;
  }

  /** The assignment, as text; throws for an error. */
  async sync(assignments: Readonly<Record<string, string>> = {}): Promise<string> {
    const { errorCode, assignment } = await sync(this.client, {
      groupId: this.groupId,
      memberId: this.memberId,
      generationId: this.generationId,
      groupInstanceId: this.groupInstanceId,
      protocolName: this.protocolName,
      protocolType: this.#options.protocolType ?? 'consumer',
      assignments,
    });
    if (errorCode !== ErrorCode.NONE) throw new Error(`not synchronised: error ${errorCode}`);
    return assignment.toString();
  }

  heartbeat(change: { memberId?: string; generationId?: number } = {}): Promise<number> {
    return heartbeat(this.client, {
      groupId: this.groupId,
      memberId: change.memberId ?? this.memberId,
      generationId: change.generationId ?? this.generationId,
      groupInstanceId: this.groupInstanceId,
    });
  }
}

/** Forms a group of new members, of one generation, that have assignments: `place 0`, `place 1`… in this order. */
export async function stabilise(first: Member, ...others: readonly Member[]): Promise<void> {
  await first.join();
  await first.sync({ [first.memberId]: 'place 0' });
  if (others.length === 0) return;
  const joining = others.map((member) => member.join());
  await membersSeen(first.client, first.groupId, others.length + 1);
  await Promise.all([first.join(), ...joining]);
  await syncAll(first, ...others);
}

/** Waits until the group has that many members. */
export async function membersSeen(client: WireClient, groupId: string, count: number): Promise<void> {
  await eventually(`${count} members of ${groupId}`, {
    attempt: () => describeGroups(client, groupId),
    holds: ([group]) => group!.members.length === count,
  });
}

/** The first of them leads: it gives all their places. */
export async function syncAll(...members: readonly Member[]): Promise<void> {
  const places = Object.fromEntries(members.map(({ memberId }, at) => [memberId, `place ${at}`]));
  await Promise.all(members.map((member, at) => member.sync(at === 0 ? places : {})));
}
