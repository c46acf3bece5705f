/**
 * DescribeGroups (key 15), versions 0–6.
 * One entry per group asked for, in order. A group that is not there is in state Dead; from v6 that is
 * GROUP_ID_NOT_FOUND (KIP-1043). v3+ may ask which operations are allowed (KIP-430): all of them, without an
 * authorizer.
 */
import type { DescribeGroupsRequest, DescribeGroupsResponse } from '../codec/generated/15-describe-groups';
import { newDescribeGroupsResponse } from '../codec/generated/15-describe-groups';
import { ErrorCode } from '../codec/generated/errors';
import { GROUP_OPERATIONS } from './authorized-operations';
import { groupRequestContext } from './group-request-context';
import type { Handler } from './request-context';

export const describeGroups: Handler<DescribeGroupsRequest, DescribeGroupsResponse> = async (context, request) => {
  const groups = await context.broker.groups.describeGroups(groupRequestContext(context), request.groups);
  if (!request.includeAuthorizedOperations) return newDescribeGroupsResponse({ groups });
  return newDescribeGroupsResponse({
    groups: groups.map((group) =>
      group.errorCode === ErrorCode.NONE ? { ...group, authorizedOperations: GROUP_OPERATIONS } : group,
    ),
  });
};
