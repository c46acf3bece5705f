/** For every API that a single broker serves, the least request that it can answer at once. */
import type { Api } from '../../src/codec/api';
import { newProduceRequest } from '../../src/codec/generated/00-produce';
import { newFetchRequest } from '../../src/codec/generated/01-fetch';
import { newListOffsetsRequest } from '../../src/codec/generated/02-list-offsets';
import { newMetadataRequest } from '../../src/codec/generated/03-metadata';
import { newOffsetCommitRequest } from '../../src/codec/generated/08-offset-commit';
import { newOffsetFetchRequest, newOffsetFetchRequestGroup } from '../../src/codec/generated/09-offset-fetch';
import { newFindCoordinatorRequest } from '../../src/codec/generated/10-find-coordinator';
import { newJoinGroupRequest, newJoinGroupRequestProtocol } from '../../src/codec/generated/11-join-group';
import { newHeartbeatRequest } from '../../src/codec/generated/12-heartbeat';
import { newLeaveGroupRequest } from '../../src/codec/generated/13-leave-group';
import { newSyncGroupRequest } from '../../src/codec/generated/14-sync-group';
import { newDescribeGroupsRequest } from '../../src/codec/generated/15-describe-groups';
import { newListGroupsRequest } from '../../src/codec/generated/16-list-groups';
import { newSaslHandshakeRequest } from '../../src/codec/generated/17-sasl-handshake';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import { newCreateTopicsRequest } from '../../src/codec/generated/19-create-topics';
import { newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { newDeleteRecordsRequest } from '../../src/codec/generated/21-delete-records';
import { newInitProducerIdRequest } from '../../src/codec/generated/22-init-producer-id';
import { newOffsetForLeaderEpochRequest } from '../../src/codec/generated/23-offset-for-leader-epoch';
import { newDescribeConfigsRequest } from '../../src/codec/generated/32-describe-configs';
import { newCreatePartitionsRequest } from '../../src/codec/generated/37-create-partitions';
import { newDeleteGroupsRequest } from '../../src/codec/generated/42-delete-groups';
import { newOffsetDeleteRequest } from '../../src/codec/generated/47-offset-delete';
import { newDescribeClusterRequest } from '../../src/codec/generated/60-describe-cluster';
import { newDescribeTopicPartitionsRequest } from '../../src/codec/generated/75-describe-topic-partitions';
import { ApiKey } from '../../src/codec/generated/apis';

const GROUP = 'minimal-requests';

const REQUESTS: Readonly<Record<number, (version: number) => unknown>> = {
  [ApiKey.Produce]: () => newProduceRequest({ acks: 1, timeoutMs: 1000 }),
  [ApiKey.Fetch]: () => newFetchRequest(),
  [ApiKey.ListOffsets]: () => newListOffsetsRequest({ replicaId: -1 }),
  [ApiKey.Metadata]: () => newMetadataRequest(),
  [ApiKey.OffsetCommit]: () => newOffsetCommitRequest({ groupId: GROUP }),
  [ApiKey.OffsetFetch]: (version) =>
    version < 8
      ? newOffsetFetchRequest({ groupId: GROUP })
      : newOffsetFetchRequest({ groups: [newOffsetFetchRequestGroup({ groupId: GROUP })] }),
  [ApiKey.FindCoordinator]: (version) =>
    newFindCoordinatorRequest(version < 4 ? { key: GROUP } : { coordinatorKeys: [GROUP] }),
  [ApiKey.JoinGroup]: () =>
    newJoinGroupRequest({
      groupId: GROUP,
      memberId: 'nobody',
      protocolType: 'consumer',
      protocols: [newJoinGroupRequestProtocol({ name: 'range' })],
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
    }),
  [ApiKey.Heartbeat]: () => newHeartbeatRequest({ groupId: GROUP, memberId: 'nobody' }),
  [ApiKey.LeaveGroup]: (version) =>
    newLeaveGroupRequest({ groupId: GROUP, ...(version < 3 && { memberId: 'nobody' }) }),
  [ApiKey.SyncGroup]: () =>
    newSyncGroupRequest({ groupId: GROUP, memberId: 'nobody', protocolType: 'consumer', protocolName: 'range' }),
  [ApiKey.DescribeGroups]: () => newDescribeGroupsRequest({ groups: [GROUP] }),
  [ApiKey.ListGroups]: () => newListGroupsRequest(),
  [ApiKey.SaslHandshake]: () => newSaslHandshakeRequest({ mechanism: 'PLAIN' }),
  [ApiKey.ApiVersions]: () => newApiVersionsRequest({ clientSoftwareName: 'a', clientSoftwareVersion: '1' }),
  [ApiKey.CreateTopics]: () => newCreateTopicsRequest({ timeoutMs: 1000 }),
  [ApiKey.DeleteTopics]: () => newDeleteTopicsRequest({ timeoutMs: 1000 }),
  [ApiKey.DeleteRecords]: () => newDeleteRecordsRequest({ timeoutMs: 1000 }),
  [ApiKey.InitProducerId]: () => newInitProducerIdRequest({ transactionalId: null }),
  [ApiKey.OffsetForLeaderEpoch]: () => newOffsetForLeaderEpochRequest({ replicaId: -1 }),
  [ApiKey.DescribeConfigs]: () => newDescribeConfigsRequest(),
  [ApiKey.CreatePartitions]: () => newCreatePartitionsRequest({ timeoutMs: 1000 }),
  [ApiKey.DeleteGroups]: () => newDeleteGroupsRequest(),
  [ApiKey.OffsetDelete]: () => newOffsetDeleteRequest({ groupId: GROUP }),
  [ApiKey.DescribeCluster]: () => newDescribeClusterRequest(),
  [ApiKey.DescribeTopicPartitions]: () => newDescribeTopicPartitionsRequest(),
};

/** Undefined for an API that is not served by a single broker yet. */
export function minimalRequest<Q>(api: Api<Q, unknown>, version = api.maxVersion): Q | undefined {
  return REQUESTS[api.key]?.(version) as Q | undefined;
}
