/**
 * DescribeClientQuotas (key 48), versions 0 and 1 (KIP-546): the quotas of the entities that fit a filter.
 *
 * - A component asks for one name, for the default, or for any of a type. An entity fits when it fits all components;
 *   in the strict mode it must have no other type besides. Without components all entities fit, strictly none.
 * - Addresses are never combined with users and client ids. What is wrong with a filter is told for the whole request:
 *   INVALID_REQUEST, or UNSUPPORTED_VERSION for a type that does not exist; the entries are null then.
 */
import { err, ok, type Result } from '../base/result';
import { type ClientQuota, isQuotaEntityType, type QuotaEntity, type QuotaEntityType } from '../cluster/client-quota';
import {
  type ComponentData,
  type DescribeClientQuotasRequest,
  type DescribeClientQuotasResponse,
  type EntryData,
  newDescribeClientQuotasResponse,
  newEntityData,
  newEntryData,
  newValueData,
} from '../codec/generated/48-describe-client-quotas';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

const EXACT = 0;
const DEFAULT = 1;
const ANY = 2;
const TYPE_NAMES: Readonly<Record<number, string>> = {
  [DEFAULT]: 'MATCH_TYPE_DEFAULT',
  [ANY]: 'MATCH_TYPE_SPECIFIED',
};

/** By type: the name asked for, null for the default, undefined for any. */
type Filter = ReadonlyMap<QuotaEntityType, string | null | undefined>;

export const describeClientQuotas: Handler<DescribeClientQuotasRequest, DescribeClientQuotasResponse> = (
  { broker },
  { components, strict },
) => {
  const filter = filterOf(components);
  if (!filter.ok) {
    const { error: errorCode, message: errorMessage = null } = filter;
    return newDescribeClientQuotasResponse({ errorCode, errorMessage, entries: null });
  }
  const entries: EntryData[] = [];
  if (filter.value.size === 0 && strict) return newDescribeClientQuotasResponse({ entries });
  for (const quota of broker.metadata.image.quotas()) {
    if (strict && quota.entity.size !== filter.value.size) continue;
    if (fits(quota.entity, filter.value)) entries.push(entryOf(quota));
  }
  return newDescribeClientQuotasResponse({ entries });
};

function filterOf(components: readonly ComponentData[]): Result<Filter, ErrorCode> {
  const filter = new Map<string, string | null | undefined>();
  const invalid = (message: string): Result<never, ErrorCode> => err(ErrorCode.INVALID_REQUEST, message);
  for (const { entityType, matchType, match } of components) {
    if (entityType === '') return invalid('Invalid empty entity type.');
    if (filter.has(entityType)) return invalid(`Entity type ${entityType} cannot appear more than once in the filter.`);
    if (!isQuotaEntityType(entityType)) {
      return err(ErrorCode.UNSUPPORTED_VERSION, `Unsupported entity type ${entityType}`);
    }
    if (matchType === EXACT) {
      if (match === null) return invalid('Request specified MATCH_TYPE_EXACT, but set match string to null.');
      filter.set(entityType, match);
      continue;
    }
    const type = TYPE_NAMES[matchType];
    if (type === undefined) return invalid(`Unknown match type ${matchType}`);
    if (match !== null) return invalid(`Request specified ${type}, but also specified a match string.`);
    filter.set(entityType, matchType === DEFAULT ? null : undefined);
  }
  if (filter.has('ip') && filter.size > 1) {
    const combination = 'IP filter component should not be used with user or clientId filter component.';
    return invalid(`Invalid entity filter component combination. ${combination}`);
  }
  return ok(filter as Filter);
}

function fits(entity: QuotaEntity, filter: Filter): boolean {
  for (const [type, name] of filter) {
    if (!entity.has(type)) return false;
    if (name !== undefined && entity.get(type) !== name) return false;
  }
  return true;
}

function entryOf({ entity, values }: ClientQuota): EntryData {
  return newEntryData({
    entity: [...entity].map(([entityType, entityName]) => newEntityData({ entityType, entityName })),
    values: [...values].map(([key, value]) => newValueData({ key, value })),
  });
}
