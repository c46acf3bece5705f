/**
 * SyncGroup (key 14), versions 0–5.
 * Followers wait until the leader brings the assignment. v3+ checks static members (KIP-345). v5 must name protocol
 * type and protocol, and they must be the group's (KIP-559).
 */
import type { SyncGroupRequest, SyncGroupResponse } from '../codec/generated/14-sync-group';
import { groupRequestContext } from './group-request-context';
import type { Handler } from './request-context';

export const syncGroup: Handler<SyncGroupRequest, SyncGroupResponse> = (context, request) =>
  context.broker.groups.syncGroup(groupRequestContext(context), request);
