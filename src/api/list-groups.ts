/**
 * ListGroups (key 16), versions 0–5.
 * The groups that this broker coordinates, those that only commit offsets too (protocol type ""). v4+ filters by state
 * (KIP-518), v5 by type (KIP-848).
 */
import type { ListGroupsRequest, ListGroupsResponse } from '../codec/generated/16-list-groups';
import type { Handler } from './request-context';

export const listGroups: Handler<ListGroupsRequest, ListGroupsResponse> = (context, request) =>
  context.broker.groups.listGroups(request);
