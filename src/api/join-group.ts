/**
 * JoinGroup (key 11), versions 0–9.
 * v0 has no rebalance timeout: the session timeout stands for it. v4+ gives a dynamic member its id first, by
 * MEMBER_ID_REQUIRED (KIP-394). v5+ has static members (KIP-345). v7+ tells the protocol type, and no protocol where
 * there is an error (KIP-559). v8+ brings the client's reason (KIP-800). v9 tells a returning static leader to leave
 * the assignment alone (KIP-814).
 * The request is parked until the rebalance ends; a closed connection does not end it, since the client comes again.
 */
import type { JoinGroupRequest, JoinGroupResponse } from '../codec/generated/11-join-group';
import { ErrorCode } from '../codec/generated/errors';
import { groupRequestContext } from './group-request-context';
import type { Handler } from './request-context';

const FIRST_VERSION_WITH_NULL_PROTOCOL = 7;

export const joinGroup: Handler<JoinGroupRequest, JoinGroupResponse> = async (context, request) => {
  const response = await context.broker.groups.joinGroup(groupRequestContext(context), request);
  const hasNoProtocol = response.errorCode !== ErrorCode.NONE && context.apiVersion >= FIRST_VERSION_WITH_NULL_PROTOCOL;
  return hasNoProtocol ? { ...response, protocolName: null } : response;
};
