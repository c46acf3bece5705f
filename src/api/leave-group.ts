/**
 * LeaveGroup (key 13), versions 0–5.
 * Up to v2 one member leaves and the error is the response's. v3+ takes a list, with an error for each member, in
 * order; an administrator removes static members by instance id alone (KIP-345). v5 brings the client's reason
 * (KIP-800).
 */
import type { LeaveGroupRequest, LeaveGroupResponse } from '../codec/generated/13-leave-group';
import { groupRequestContext } from './group-request-context';
import type { Handler } from './request-context';

export const leaveGroup: Handler<LeaveGroupRequest, LeaveGroupResponse> = (context, request) =>
  context.broker.groups.leaveGroup(groupRequestContext(context), request);
