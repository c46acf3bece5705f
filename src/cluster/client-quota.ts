/**
 * What a client quota is: whose it is, which values it has, and what each kind of value may be. Owns the vocabulary of
 * KIP-546, KIP-599 and KIP-612; does not own where quotas are stored (`quota-nodes.ts`) nor what they do (`src/quota`).
 */
import type { ConfigType } from '../config/definition';

export type QuotaEntityType = 'user' | 'client-id' | 'ip';

/**
 * Whose quota it is: a user, a client id, both together, or an address. Null stands for all those that have none of
 * their own; a type that the quota does not look at is absent.
 */
export type QuotaEntity = ReadonlyMap<QuotaEntityType, string | null>;

export type QuotaKey =
  | 'producer_byte_rate'
  | 'consumer_byte_rate'
  | 'request_percentage'
  | 'controller_mutation_rate'
  | 'connection_creation_rate';

export interface ClientQuota {
  readonly entity: QuotaEntity;
  /** All values that the entity has; none where it has no quota any more. */
  readonly values: ReadonlyMap<QuotaKey, number>;
}

/** In the order in which Kafka writes them. */
export const QUOTA_ENTITY_TYPES: readonly QuotaEntityType[] = ['client-id', 'user', 'ip'];

/** The kinds of value of users and clients, with their types. */
const CLIENT_KEYS: ReadonlyMap<string, ConfigType> = new Map([
  ['producer_byte_rate', 'long'],
  ['consumer_byte_rate', 'long'],
  ['request_percentage', 'double'],
  ['controller_mutation_rate', 'double'],
]);
const ADDRESS_KEYS: ReadonlyMap<string, ConfigType> = new Map([['connection_creation_rate', 'int']]);

export function isQuotaEntityType(type: string): type is QuotaEntityType {
  return (QUOTA_ENTITY_TYPES as readonly string[]).includes(type);
}

/** The type of the values under `key` of such an entity; undefined where it has no such key. */
export function quotaValueType(entity: QuotaEntity, key: string): ConfigType | undefined {
  return (entity.has('ip') ? ADDRESS_KEYS : CLIENT_KEYS).get(key);
}

/** One text per entity. */
export function quotaEntityKey(entity: QuotaEntity): string {
  return JSON.stringify(QUOTA_ENTITY_TYPES.map((type) => (entity.has(type) ? [entity.get(type)] : [])));
}
