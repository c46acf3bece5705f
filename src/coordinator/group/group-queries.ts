/** What a shard tells about its groups: DescribeGroups and ListGroups. Reads only. */
import {
  type DescribedGroup,
  newDescribedGroup,
  newDescribedGroupMember,
} from '../../codec/generated/15-describe-groups';
import { type ListedGroup, newListedGroup } from '../../codec/generated/16-list-groups';
import { ErrorCode } from '../../codec/generated/errors';
import type { ClassicGroup } from './classic-group';
import { EMPTY_ASSIGNMENT } from './classic-member';

/** From this version an unknown group is an error; before, it is a group in state Dead. */
const GROUP_ID_NOT_FOUND_FROM = 6;

/** Subscriptions and assignments are told in Stable only: before, they belong to no or to the former generation. */
export function describeGroup(group: ClassicGroup): DescribedGroup {
  const isStable = group.state === 'Stable';
  const protocolData = isStable ? (group.protocolName ?? '') : '';
  const members = [...group.members()].map((member) =>
    newDescribedGroupMember({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable ? member.metadata(protocolData) : EMPTY_ASSIGNMENT,
      memberAssignment: isStable ? member.assignment : EMPTY_ASSIGNMENT,
    }),
  );
  const { groupId, state: groupState } = group;
  return newDescribedGroup({ groupId, groupState, protocolType: group.protocolType ?? '', protocolData, members });
}

export function describeUnknownGroup(groupId: string, apiVersion: number): DescribedGroup {
  const dead = newDescribedGroup({ groupId, groupState: 'Dead' });
  if (apiVersion < GROUP_ID_NOT_FOUND_FROM) return dead;
  return { ...dead, errorCode: ErrorCode.GROUP_ID_NOT_FOUND, errorMessage: `Group ${groupId} not found.` };
}

export function listGroup(group: ClassicGroup): ListedGroup {
  const { groupId, state: groupState } = group;
  return newListedGroup({ groupId, groupState, protocolType: group.protocolType ?? '', groupType: 'classic' });
}
