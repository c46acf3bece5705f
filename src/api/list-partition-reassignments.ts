/** ListPartitionReassignments (key 46), version 0 (KIP-455): on one broker nothing is ever under way. */
import {
  type ListPartitionReassignmentsRequest,
  type ListPartitionReassignmentsResponse,
  newListPartitionReassignmentsResponse,
} from '../codec/generated/46-list-partition-reassignments';
import type { Handler } from './request-context';

export const listPartitionReassignments: Handler<
  ListPartitionReassignmentsRequest,
  ListPartitionReassignmentsResponse
> = () => newListPartitionReassignmentsResponse({ errorMessage: null });
