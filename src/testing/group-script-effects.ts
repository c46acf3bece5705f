/** The effects of group scripts, as text: one line per record and per reply. */
import type { OffsetCommitResponse } from '../codec/generated/08-offset-commit';
import type { OffsetFetchResponseGroup } from '../codec/generated/09-offset-fetch';
import type { JoinGroupResponse } from '../codec/generated/11-join-group';
import type { HeartbeatResponse } from '../codec/generated/12-heartbeat';
import type { LeaveGroupResponse } from '../codec/generated/13-leave-group';
import type { SyncGroupResponse } from '../codec/generated/14-sync-group';
import type { DescribedGroup } from '../codec/generated/15-describe-groups';
import type { ListedGroup } from '../codec/generated/16-list-groups';
import type { DeletableGroupResult } from '../codec/generated/42-delete-groups';
import type { OffsetDeleteResponse } from '../codec/generated/47-offset-delete';
import { errorName } from '../codec/generated/errors';
import type { GroupRecord } from '../coordinator/group/group-records';
import type { Asked, ScriptClient } from './group-script-operations';

export function describeRecord(record: GroupRecord): string {
  if (record.kind === 'offset') {
    const { groupId, topic, partition, committed } = record;
    if (committed === null) return `record ${groupId} ${topic}-${partition} gone`;
    const expiry = committed.expireTimestampMs === -1 ? '' : ' with its own retention';
    return `record ${groupId} ${topic}-${partition}=${committed.offset}${text(committed.metadata)}${expiry}`;
  }
  const { groupId, metadata } = record;
  if (metadata === null) return `record ${groupId} gone`;
  const members = metadata.members.map((member) => {
    const instance = member.groupInstanceId === null ? '' : `@${member.groupInstanceId}`;
    return `${member.memberId}${instance}=${member.assignment}`;
  });
  if (members.length === 0) return `record ${groupId} gen=${metadata.generationId} empty`;
  const head = `record ${groupId} gen=${metadata.generationId} protocol=${metadata.protocolName}`;
  return `${head} leader=${metadata.leaderId} members=${members.join(',')}`;
}

/** The lines for a reply; the client that asked notes what it learns. */
export function describeResponse({ client, op }: Asked, response: unknown): string[] {
  const who = client === undefined ? '?' : client.name;
  switch (op.kind) {
    case 'join-group':
      return [`${who}: ${joined(response as JoinGroupResponse, client)}`];
    case 'sync-group':
      return [`${who}: ${synced(response as SyncGroupResponse)}`];
    case 'heartbeat':
      return [`${who}: heartbeat ${errorName((response as HeartbeatResponse).errorCode)}`];
    case 'leave-group':
      return [`${who}: left ${left(response as LeaveGroupResponse)}`];
    case 'commit-offsets':
      return [`${who}: committed ${committed(response as OffsetCommitResponse)}`];
    case 'fetch-offsets':
      return [`${who}: offsets ${fetched(response as OffsetFetchResponseGroup)}`.trimEnd()];
    case 'delete-offsets':
      return [`${who}: ${deleted(response as OffsetDeleteResponse)}`];
    case 'describe-groups':
      return (response as DescribedGroup[]).map(described);
    case 'list-groups':
      return (response as ListedGroup[]).map((g) => `?: ${g.groupId} ${g.groupType} ${g.groupState}${kind(g)}`);
    case 'delete-groups':
      return (response as DeletableGroupResult[]).map((g) => `?: ${g.groupId} deleted ${errorName(g.errorCode)}`);
    default:
      return [`?: ${op.kind} ${String(response)}`];
  }
}

/** A member's subscription: the text that the script gave, or dots for bytes. */
function shown(metadata: Buffer): string {
  return metadata[0] === 0 ? '…' : metadata.toString();
}

function text(metadata: string): string {
  return metadata === '' ? '' : ` "${metadata}"`;
}

function kind({ protocolType }: { protocolType: string }): string {
  return protocolType === '' ? '' : ` of type ${protocolType}`;
}

function joined(response: JoinGroupResponse, client: ScriptClient | undefined): string {
  const { errorCode, memberId, generationId, leader, skipAssignment } = response;
  if (errorCode !== 0) {
    if (client && errorName(errorCode) === 'MEMBER_ID_REQUIRED') client.memberId = memberId;
    return `join ${errorName(errorCode)}${memberId === '' ? '' : ` id=${memberId}`}`;
  }
  if (client) Object.assign(client, { memberId, generationId });
  const members = response.members.map((member) => `${member.memberId}(${shown(member.metadata)})`).join(',');
  const rest = `${members === '' ? '' : ` members=${members}`}${skipAssignment ? ' skip-assignment' : ''}`;
  return `joined id=${memberId} gen=${generationId} protocol=${response.protocolName} leader=${leader}${rest}`;
}

function synced({ errorCode, assignment }: SyncGroupResponse): string {
  return errorCode === 0 ? `synced assignment=${assignment}` : `sync ${errorName(errorCode)}`;
}

function left({ members }: LeaveGroupResponse): string {
  return members
    .map(({ memberId, groupInstanceId, errorCode }) => {
      const instance = groupInstanceId === null ? '' : `@${groupInstanceId}`;
      return `${memberId}${instance}=${errorName(errorCode)}`;
    })
    .join(' ');
}

function committed({ topics }: OffsetCommitResponse): string {
  return topics
    .flatMap(({ name, partitions }) => partitions.map((p) => `${name}-${p.partitionIndex}=${errorName(p.errorCode)}`))
    .join(' ');
}

function fetched({ topics }: OffsetFetchResponseGroup): string {
  return topics
    .flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset, metadata, errorCode }) => {
        const problem = errorCode === 0 ? '' : ` ${errorName(errorCode)}`;
        return `${name}-${partitionIndex}=${committedOffset}${text(metadata ?? '')}${problem}`;
      }),
    )
    .join(' ');
}

function deleted({ errorCode, topics }: OffsetDeleteResponse): string {
  if (errorCode !== 0) return `offsets deleted ${errorName(errorCode)}`;
  const each = topics.flatMap(({ name, partitions }) =>
    partitions.map((p) => `${name}-${p.partitionIndex}=${errorName(p.errorCode)}`),
  );
  return `offsets deleted ${each.join(' ')}`;
}

function described(group: DescribedGroup): string {
  const members = group.members.map((member) => {
    const instance = member.groupInstanceId === null ? '' : `@${member.groupInstanceId}`;
    return `${member.memberId}${instance}(${shown(member.memberMetadata)})=${member.memberAssignment}`;
  });
  const problem = group.errorCode === 0 ? '' : ` ${errorName(group.errorCode)}`;
  const protocol = group.protocolData === '' ? '' : ` protocol=${group.protocolData}`;
  const list = members.length === 0 ? '' : ` members=${members.join(',')}`;
  return `?: ${group.groupId} ${group.groupState}${kind(group)}${protocol}${list}${problem}`;
}
