/**
 * DeleteGroups (key 42), versions 0–3 (KIP-229).
 * Deletes groups without members, their offsets with them. A group named twice is answered once.
 */
import type { DeleteGroupsRequest, DeleteGroupsResponse } from '../codec/generated/42-delete-groups';
import { newDeleteGroupsResponse } from '../codec/generated/42-delete-groups';
import type { Handler } from './request-context';

export const deleteGroups: Handler<DeleteGroupsRequest, DeleteGroupsResponse> = async (context, request) => {
  const groupIds = [...new Set(request.groupsNames)];
  return newDeleteGroupsResponse({ results: await context.broker.groups.deleteGroups(groupIds) });
};
