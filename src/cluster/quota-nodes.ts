/**
 * Where client quotas lie in the control store: Kafka's own znodes, with names escaped as by its `Sanitizer`. Owns
 * reading them all and the operations that write one; other settings in the same nodes (credentials of users) stay.
 *
 *     /config/users/USER    /config/users/USER/clients/CLIENT-ID    /config/clients/CLIENT-ID    /config/ips/ADDRESS
 */
import type { Logger } from '../base/logger';
import { formatConfigValue } from '../config/definition';
import {
  type ClientQuota,
  type QuotaEntity,
  type QuotaEntityType,
  type QuotaKey,
  quotaValueType,
} from './client-quota';
import type { ControlOperation, ControlStore } from './control-store';
import { getIfPresent, required } from './topic-loader';
import { decodeConfigs, encodeConfigs, QUOTA_PATHS } from './znodes';

const { users: USERS, clients: CLIENTS, ips: IPS } = QUOTA_PATHS;
/** The node that stands for all that have none of their own. */
const DEFAULT_NODE = '<default>';
const ANY = -1;

/** As Java's URLEncoder writes a name, with neither '+' nor '*'. */
function sanitized(name: string | null): string {
  if (name === null) return DEFAULT_NODE;
  return encodeURIComponent(name).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function nameOf(node: string): string | null {
  return node === DEFAULT_NODE ? null : decodeURIComponent(node);
}

function quotaPath(entity: QuotaEntity): string {
  if (entity.has('ip')) return `${IPS}/${sanitized(entity.get('ip')!)}`;
  if (!entity.has('user')) return `${CLIENTS}/${sanitized(entity.get('client-id')!)}`;
  const user = `${USERS}/${sanitized(entity.get('user')!)}`;
  return entity.has('client-id') ? `${user}/clients/${sanitized(entity.get('client-id')!)}` : user;
}

function parse(data: string): ReadonlyMap<string, string> {
  return data === '' ? new Map() : decodeConfigs(data);
}

function formatted(value: number, type: ReturnType<typeof quotaValueType>): string {
  return formatConfigValue(type === 'double' ? type : 'long', value)!;
}

/** The operations that make `values` all the quotas of its entity. Reads what is stored; rejects when it cannot. */
export async function quotaOperations(
  store: ControlStore,
  { entity, values }: ClientQuota,
): Promise<ControlOperation[]> {
  const path = quotaPath(entity);
  const node = await getIfPresent(store, path);
  const configs = new Map([...parse(node?.data ?? '')].filter(([key]) => quotaValueType(entity, key) === undefined));
  for (const [key, value] of values) configs.set(key, formatted(value, quotaValueType(entity, key)));
  const data = encodeConfigs(configs);
  if (node === undefined) {
    return [...(await missingParents(store, entity)), { kind: 'create', path, data }];
  }
  if (configs.size > 0 || (await childrenOf(store, path)).length > 0) {
    return [{ kind: 'set', path, data, expectedVersion: ANY }];
  }
  return [remove(path), ...(await emptyParents(store, entity))];
}

/** The nodes of quotas in a store that has none. */
export function newQuotaNodes(quotas: readonly ClientQuota[]): ControlOperation[] {
  const nodes = new Map<string, string>();
  for (const { entity, values } of quotas) {
    const parents = parentsOf(entity);
    for (const path of parents ? [parents.user, parents.clients] : []) if (!nodes.has(path)) nodes.set(path, '');
    const configs = [...values].map(([key, value]) => [key, formatted(value, quotaValueType(entity, key))] as const);
    nodes.set(quotaPath(entity), encodeConfigs(new Map(configs)));
  }
  const sorted = [...nodes].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([path, data]) => ({ kind: 'create', path, data }));
}

function remove(path: string): ControlOperation {
  return { kind: 'delete', path, expectedVersion: ANY };
}

/** The nodes above the client id of a user. */
function parentsOf(entity: QuotaEntity): { readonly user: string; readonly clients: string } | undefined {
  if (!entity.has('user') || !entity.has('client-id')) return undefined;
  const user = `${USERS}/${sanitized(entity.get('user')!)}`;
  return { user, clients: `${user}/clients` };
}

async function missingParents(store: ControlStore, entity: QuotaEntity): Promise<ControlOperation[]> {
  const parents = parentsOf(entity);
  if (!parents) return [];
  const operations: ControlOperation[] = [];
  for (const path of [parents.user, parents.clients]) {
    if (!(await getIfPresent(store, path))) operations.push({ kind: 'create', path, data: '' });
  }
  return operations;
}

/** What is left without use when the entity's own node is gone. */
async function emptyParents(store: ControlStore, entity: QuotaEntity): Promise<ControlOperation[]> {
  const parents = parentsOf(entity);
  if (!parents || (await childrenOf(store, parents.clients)).length > 1) return [];
  const user = await getIfPresent(store, parents.user);
  const isUsed = user !== undefined && parse(user.data).size > 0;
  return isUsed ? [remove(parents.clients)] : [remove(parents.clients), remove(parents.user)];
}

/** None where there is no such node. */
async function childrenOf(store: ControlStore, path: string): Promise<string[]> {
  const names = await store.children(path);
  return !names.ok && names.error === 'no-node' ? [] : required(names);
}

/** All quotas that are stored. What is no quota, or an impossible one, is left out; the latter is told in the log. */
export async function loadQuotas(store: ControlStore, logger: Logger): Promise<ClientQuota[]> {
  const loaded: ClientQuota[] = [];
  const load = async (path: string, entity: QuotaEntity): Promise<void> => {
    const { data } = required(await store.get(path));
    const values = valuesIn(data, { entity, path, logger });
    if (values.size > 0) loaded.push({ entity, values });
  };
  const loadAll = async (path: string, type: QuotaEntityType, user?: string | null): Promise<void> => {
    for (const node of await childrenOf(store, path)) {
      const entity = new Map<QuotaEntityType, string | null>(user === undefined ? [] : [['user', user]]);
      await load(`${path}/${node}`, entity.set(type, nameOf(node)));
    }
  };
  await loadAll(USERS, 'user');
  for (const node of await childrenOf(store, USERS)) {
    await loadAll(`${USERS}/${node}/clients`, 'client-id', nameOf(node));
  }
  await loadAll(CLIENTS, 'client-id');
  await loadAll(IPS, 'ip');
  return loaded;
}

function valuesIn(
  data: string,
  { entity, path, logger }: { entity: QuotaEntity; path: string; logger: Logger },
): ReadonlyMap<QuotaKey, number> {
  const values = new Map<QuotaKey, number>();
  for (const [key, text] of parse(data)) {
    if (quotaValueType(entity, key) === undefined) continue;
    const value = Number(text);
    if (value > 0 && Number.isFinite(value)) values.set(key as QuotaKey, value);
    else logger.error('a stored quota is impossible and ignored', { path, key, value: text });
  }
  return values;
}
