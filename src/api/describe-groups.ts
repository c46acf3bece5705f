/**
 * DescribeGroups (key 15), versions 0–6.
 * One entry per group asked for, in order. A group that is not there is in state Dead; from v6 that is
 * GROUP_ID_NOT_FOUND (KIP-1043). v3+ may ask which operations are allowed (KIP-430): all of them, without an authorizer.
 */
import type { DescribeGroupsRequest, DescribeGroupsResponse } from '../codec/generated/15-describe-groups';
import { newDescribeGroupsResponse } from '../codec/generated/15-describe-groups';
import { ErrorCode } from '../codec/generated/errors';
import { groupRequestContext } from './group-request-context';
import type { Handler } from './request-context';

/** Bit n stands for the operation with that number in Kafka's `AclOperation`: those that a group knows. */
const READ = 1 << 3;
const DELETE = 1 << 6;
const DESCRIBE = 1 << 8;
const DESCRIBE_CONFIGS = 1 << 10;
const ALTER_CONFIGS = 1 << 11;
const GROUP_OPERATIONS = READ | DELETE | DESCRIBE | DESCRIBE_CONFIGS | ALTER_CONFIGS;

export const describeGroups: Handler<DescribeGroupsRequest, DescribeGroupsResponse> = async (context, request) => {
  const groups = await context.broker.groups.describeGroups(groupRequestContext(context), request.groups);
  if (!request.includeAuthorizedOperations) return newDescribeGroupsResponse({ groups });
  return newDescribeGroupsResponse({
    groups: groups.map((group) =>
      group.errorCode === ErrorCode.NONE ? { ...group, authorizedOperations: GROUP_OPERATIONS } : group,
    ),
  });
};
