/**
 * FindCoordinator (key 10), versions 0–6.
 * Answers with the leader of the group's partition of `__consumer_offsets`, at the address of the listener that was
 * asked, and creates that topic on first use. v4+ takes several keys (KIP-699).
 * Key type 1 (transactions) is refused for good until there are transactions; 2 (share groups) and others are invalid.
 * The refusal is CLUSTER_AUTHORIZATION_FAILED since every client gives up on it and shows the message: after
 * UNSUPPORTED_VERSION librdkafka would ask for ever, after TRANSACTIONAL_ID_AUTHORIZATION_FAILED Java hides it.
 */

import { GROUP_METADATA_TOPIC } from '../cluster/topic-name';
import {
  type Coordinator,
  type FindCoordinatorRequest,
  type FindCoordinatorResponse,
  newCoordinator,
  newFindCoordinatorResponse,
} from '../codec/generated/10-find-coordinator';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler, RequestContext } from './request-context';

const GROUP = 0;
const TRANSACTION = 1;

const BATCHED_FROM = 4;

const NO_TRANSACTIONS = 'Transactions are not supported yet';

function refused(key: string, errorCode: ErrorCode, errorMessage: string): Coordinator {
  return newCoordinator({ key, nodeId: -1, host: '', port: -1, errorCode, errorMessage });
}

/** Creates the topic if need be; when it is there, its shards are loaded, so that the client need not come again. */
async function ensureTopic({ broker, throttle }: RequestContext): Promise<void> {
  if (broker.metadata.image.topic(GROUP_METADATA_TOPIC)) return;
  const [created] = await broker.controller.autoCreateTopics([GROUP_METADATA_TOPIC], {
    quota: throttle.mutations('counted'),
  });
  if (created?.ok) {
    await broker.groups.loaded();
    return;
  }
  const { error: errorCode, message } = created ?? {};
  broker.logger.warn('the topic for groups could not be created', { errorCode, message });
}

function groupCoordinator(context: RequestContext, groupId: string): Coordinator {
  const { metadata, groups } = context.broker;
  const leader = metadata.image.partition(GROUP_METADATA_TOPIC, groups.partitionFor(groupId))?.leader;
  const endpoint = leader === undefined ? undefined : context.broker.endpoint(leader, context.connection);
  if (leader === undefined || !endpoint) {
    return refused(groupId, ErrorCode.COORDINATOR_NOT_AVAILABLE, 'The coordinator is not available');
  }
  return newCoordinator({ key: groupId, nodeId: leader, host: endpoint.host, port: endpoint.port, errorMessage: null });
}

async function find(context: RequestContext, keyType: number, keys: readonly string[]): Promise<Coordinator[]> {
  switch (keyType) {
    case GROUP:
      if (keys.length > 0) await ensureTopic(context);
      return keys.map((key) => groupCoordinator(context, key));
    case TRANSACTION:
      return keys.map((key) => refused(key, ErrorCode.CLUSTER_AUTHORIZATION_FAILED, NO_TRANSACTIONS));
    default:
      return keys.map((key) => refused(key, ErrorCode.INVALID_REQUEST, `There is no key type ${keyType}`));
  }
}

export const findCoordinator: Handler<FindCoordinatorRequest, FindCoordinatorResponse> = async (context, request) => {
  if (context.apiVersion >= BATCHED_FROM) {
    return newFindCoordinatorResponse({ coordinators: await find(context, request.keyType, request.coordinatorKeys) });
  }
  const [found] = await find(context, request.keyType, [request.key]);
  const { errorCode, errorMessage, nodeId, host, port } = found!;
  return newFindCoordinatorResponse({ errorCode, errorMessage, nodeId, host, port });
};
