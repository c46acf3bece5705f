/**
 * For every API that this code serves, a request that can be answered at once: default values, and others only where
 * those would not do.
 */
import { handlers } from '../../src/api/generated/handlers';
import type { Api } from '../../src/codec/api';
import { ApiKey } from '../../src/codec/generated/apis';
import { messageFromJson, messageShape } from '../../src/codec/message-json';

const GROUP = 'minimal-requests';

/** Fields that differ from their defaults, as JSON. */
const FIELDS: Readonly<Record<number, (version: number) => object>> = {
  // 0 would ask for no answer.
  [ApiKey.Produce]: () => ({ acks: 1 }),
  [ApiKey.ListOffsets]: () => ({ replicaId: -1 }),
  [ApiKey.OffsetCommit]: () => ({ groupId: GROUP }),
  [ApiKey.OffsetFetch]: (version) => (version < 8 ? { groupId: GROUP } : { groups: [{ groupId: GROUP, topics: [] }] }),
  [ApiKey.FindCoordinator]: (version) => (version < 4 ? { key: GROUP } : { coordinatorKeys: [GROUP] }),
  [ApiKey.ApiVersions]: () => ({ clientSoftwareName: 'a', clientSoftwareVersion: '1' }),
};

/** Undefined for an API that this code does not serve. */
export function minimalRequest<Q>(api: Api<Q, unknown>, version = api.maxVersion): Q | undefined {
  if (!handlers.some((handler) => handler.api.key === api.key)) return undefined;
  return messageFromJson(FIELDS[api.key]?.(version) ?? {}, messageShape(api, 'request')) as Q;
}
