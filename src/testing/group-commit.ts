/** A commit without membership, for tests that need a group to be there. */
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
} from '../codec/generated/08-offset-commit';
import type { GroupContexts } from './group-context';

/** Group `groupId` has offset 5 of t-0. */
export async function commitFor({ groupBroker }: GroupContexts, groupId: string): Promise<void> {
  const partitions = [newOffsetCommitRequestPartition({ committedOffset: 5 })];
  const request = newOffsetCommitRequest({ groupId, topics: [newOffsetCommitRequestTopic({ name: 't', partitions })] });
  await groupBroker.groups.commitOffsets({ apiVersion: 8, clientId: 'c', clientHost: '/h' }, request);
}
