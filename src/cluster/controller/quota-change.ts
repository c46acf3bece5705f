/**
 * What the quotas of clients will be after a change, or why there is none. Pure: the quotas that are and the
 * alterations in, all values of each entity out. Source of order, codes and sentences: Kafka's
 * `ClientQuotaControlManager`.
 */
import { err, ok, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import { MAX_INT, MAX_LONG } from '../../config/definition';
import {
  type ClientQuota,
  isQuotaEntityType,
  type QuotaEntity,
  type QuotaEntityType,
  type QuotaKey,
  quotaValueType,
} from '../client-quota';

export interface QuotaOperation {
  readonly key: string;
  /** Null removes it. */
  readonly value: number | null;
}

export interface QuotaAlteration {
  /** By type; null for the default. */
  readonly entity: ReadonlyMap<string, string | null>;
  readonly operations: readonly QuotaOperation[];
}

export interface QuotaAlterationResult {
  readonly entity: ReadonlyMap<string, string | null>;
  readonly result: Result<void, ErrorCode>;
}

export interface QuotaPlan {
  /** One per entity, in the order in which they were named first. */
  readonly results: readonly QuotaAlterationResult[];
  /** What is to be stored: all values that these entities shall have. */
  readonly changes: readonly ClientQuota[];
}

export interface QuotaPlanContext {
  /** The values that an entity has now. */
  valuesOf(entity: QuotaEntity): ReadonlyMap<QuotaKey, number>;
  /** Addresses, as named, that cannot be used. */
  readonly unknownHosts: ReadonlySet<string>;
}

/** How far a value may be from a whole number. */
const WHOLE_TOLERANCE = 1e-6;

/** An entity that is named twice keeps what the first one says and is answered with an error, as by Kafka. */
export function planQuotas(alterations: readonly QuotaAlteration[], context: QuotaPlanContext): QuotaPlan {
  const results = new Map<string, QuotaAlterationResult>();
  const changes: ClientQuota[] = [];
  for (const alteration of alterations) {
    const { entity, operations } = alteration;
    const name = JSON.stringify([...entity].sort());
    const isTwice = results.has(name) || new Set(operations.map(({ key }) => key)).size < operations.length;
    const planned = isTwice ? refuse(`Ignoring duplicate entity ${describe(entity)}`) : plan(alteration, context);
    if (planned.ok && planned.value) changes.push(planned.value);
    results.set(name, { entity, result: planned.ok ? ok(undefined) : planned });
  }
  return { results: [...results.values()], changes };
}

function refuse(message: string): Result<never, ErrorCode> {
  return err(ErrorCode.INVALID_REQUEST, message);
}

/** As Java prints it. */
function describe(entity: ReadonlyMap<string, string | null>): string {
  const parts = [...entity].sort().map(([type, name]) => `${type}=${name}`);
  return `ClientQuotaEntity(entries={${parts.join(', ')}})`;
}

/** All values of the entity; undefined where nothing changes. */
function plan(
  { entity: named, operations }: QuotaAlteration,
  context: QuotaPlanContext,
): Result<ClientQuota | undefined, ErrorCode> {
  const checked = checkEntity(named, context);
  if (!checked.ok) return checked;
  const entity = checked.value;
  const before = context.valuesOf(entity);
  const values = new Map<QuotaKey, number>(before);
  for (const { key, value } of operations) {
    if (value === null) {
      values.delete(key as QuotaKey);
      continue;
    }
    const problem = valueProblem(entity, key, value);
    if (problem !== undefined) return refuse(problem);
    values.set(key as QuotaKey, value);
  }
  const isSame = values.size === before.size && [...values].every(([key, value]) => before.get(key) === value);
  return ok(isSame ? undefined : { entity, values });
}

function checkEntity(
  named: ReadonlyMap<string, string | null>,
  { unknownHosts }: QuotaPlanContext,
): Result<QuotaEntity, ErrorCode> {
  if (named.size === 0) return refuse('Invalid empty client quota entity');
  const entity = new Map<QuotaEntityType, string | null>();
  for (const [type, name] of named) {
    if (!isQuotaEntityType(type)) return refuse(`Unhandled client quota entity type: ${type}`);
    if (name === '') return refuse(`Empty ${type} not supported`);
    entity.set(type, name);
  }
  if (!entity.has('ip')) return ok(entity);
  if (entity.size > 1) {
    return refuse('Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId');
  }
  const host = entity.get('ip')!;
  return host !== null && unknownHosts.has(host) ? refuse(`${host} is not a valid IP or resolvable host.`) : ok(entity);
}

function valueProblem(entity: QuotaEntity, key: string, value: number): string | undefined {
  const type = quotaValueType(entity, key);
  if (type === undefined) return `Invalid configuration key ${key}`;
  if (!Number.isFinite(value)) return `Quota ${key} must be a finite number`;
  if (value <= 0) return `Quota ${key} must be greater than 0`;
  if (type === 'double') return undefined;
  if (type === 'int' && value > MAX_INT) return `Proposed value for ${key} is too large for an INT.`;
  if (value > MAX_LONG) return `Proposed value for ${key} is too large for a LONG.`;
  return value % 1 > WHOLE_TOLERANCE ? `${key} cannot be a fractional value.` : undefined;
}
