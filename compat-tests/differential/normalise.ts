/**
 * Answers in the terms of the round, so that those of two brokers can be compared field by field: ids become symbols,
 * times that are the broker's own become `<now>`, lists whose order means nothing are sorted.
 */
import { ZERO_UUID } from '../../src/base/random';
import type { FetchableTopicResponse } from '../../src/codec/generated/01-fetch';
import { describeBatches } from './record-bytes';
import type { Side } from './side';
import { type ApiName, PREFIX_SIGN, type Step } from './steps';

export interface Terms {
  readonly side: Side;
  readonly step: Step;
  readonly baseTimeMs: number;
}

/** Never the same, or said in other words by everyone. */
const LEFT_OUT = new Set([
  'throttleTimeMs',
  'batchIndexErrorMessage',
  'documentation',
  'clusterId',
  'rack',
  // What features and versions there are is no business of a comparison of answers.
  'supportedFeatures',
  'finalizedFeatures',
  'finalizedFeaturesEpoch',
  'zkMigrationReady',
]);
/** Where people read the messages, and tools print them. */
const MESSAGES_COUNT: ReadonlySet<ApiName> = new Set<ApiName>([
  'CreateTopics',
  'DeleteTopics',
  'CreatePartitions',
  'AlterConfigs',
  'IncrementalAlterConfigs',
  'DescribeConfigs',
  'ElectLeaders',
  'AlterPartitionReassignments',
  'ListPartitionReassignments',
  'UpdateFeatures',
  'DescribeCluster',
]);
const TIMES = new Set(['logAppendTimeMs', 'timestamp', 'lastTimestamp']);
/** What tells the elements of a list apart, in this order. */
const KEYS = ['name', 'topic', 'topicId', 'groupId', 'key', 'resourceName', 'partitionIndex', 'index', 'partition'];
const MORE_KEYS = ['memberId', 'groupInstanceId', 'nodeId', 'apiKey', 'source'];
/** Lists that have an order. */
const ORDERED = new Set(['recordErrors', 'records', 'synonyms', 'members of LeaveGroup']);
export function normalise(answer: unknown, terms: Terms): unknown {
  // Which APIs there are is another question; only an error answer tells of versions here.
  if (terms.step.api === 'ApiVersions') return { errorCode: (answer as { errorCode: number }).errorCode };
  return normaliseValue('', answer, terms);
}

function normaliseValue(field: string, value: unknown, terms: Terms): unknown {
  const { side } = terms;
  if (Buffer.isBuffer(value)) return field === 'records' ? batches(value, terms) : normaliseBytes(value);
  if (typeof value === 'string') return normaliseText(field, value, side);
  if (typeof value === 'number') return normaliseNumber(field, value, terms);
  if (Array.isArray(value)) return normaliseList(field, value, terms);
  if (value === null || typeof value !== 'object') return value;
  const normal: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === 'errorMessage' && !MESSAGES_COUNT.has(terms.step.api)) continue;
    if (!LEFT_OUT.has(name)) normal[name] = normaliseValue(name, member, terms);
  }
  return normal;
}

function normaliseText(field: string, value: string, side: Side): string {
  if (field === 'host') return '<host>';
  const symbol = side.symbol(value);
  return field === 'topicId' && symbol === value && value !== ZERO_UUID ? '<unknown id>' : symbol;
}

function normaliseBytes(value: Buffer): string {
  return value.toString('latin1');
}

function normaliseNumber(field: string, value: number, terms: Terms): unknown {
  if (field === 'port') return value === terms.side.address.port ? '<port>' : value;
  if (field === 'producerId') return terms.side.producerSymbol(value);
  if (field === 'sessionId') return value === 0 ? 0 : '<session>';
  if (TIMES.has(field)) return time(value, terms);
  return value;
}

/** The client's own times lie before the run; whatever is later is the broker's clock. */
function time(ms: number, terms: Terms): unknown {
  if (ms < 0) return ms;
  const sinceBase = ms - terms.baseTimeMs;
  return sinceBase >= 3_500_000 && sinceBase < 3_500_000 * 10 ? '<now>' : sinceBase;
}

function batches(records: Buffer, terms: Terms): unknown {
  return describeBatches(records, {
    time: (ms) => time(ms, terms),
    producer: (id) => terms.side.producerSymbol(id),
  });
}

function normaliseList(field: string, found: readonly unknown[], terms: Terms): unknown {
  // Kafka may tell of one topic in several entries.
  const list = terms.step.api === 'Fetch' && field === 'responses' ? joined(found as FetchableTopicResponse[]) : found;
  const normal = list
    .map((element) => normaliseValue(field, element, terms))
    .filter((element) => isOfRound(element, terms));
  // Configs by name, so that one that differs shows as that one.
  if (field === 'configs')
    return Object.fromEntries(normal.map((config) => [(config as { name: string }).name, config]));
  const isOrdered = ORDERED.has(field) || ORDERED.has(`${field} of ${terms.step.api}`);
  return isOrdered ? normal : normal.sort((a, b) => order(sortKey(a), sortKey(b)));
}

function joined(responses: readonly FetchableTopicResponse[]): FetchableTopicResponse[] {
  const topics = new Map<string, FetchableTopicResponse>();
  for (const { topic, topicId, partitions } of responses) {
    const key = `${topic} ${topicId}`;
    topics.set(key, { topic, topicId, partitions: [...(topics.get(key)?.partitions ?? []), ...partitions] });
  }
  return [...topics.values()];
}

/** Lists of all there is hold what other rounds left, and internal topics. */
function isOfRound(element: unknown, { step }: Terms): boolean {
  if (element === null || typeof element !== 'object') return true;
  const { groupId, name } = element as { groupId?: unknown; name?: unknown };
  if (step.api === 'ListGroups') return String(groupId).startsWith(PREFIX_SIGN);
  const { resourceName } = element as { resourceName?: unknown };
  if (step.api === 'ListConfigResources') return String(resourceName).startsWith(PREFIX_SIGN);
  const isAll = step.api === 'Metadata' && ((step.request as { topics: unknown[] | null }).topics?.length ?? 0) === 0;
  return !isAll || name === undefined || String(name).startsWith(PREFIX_SIGN);
}

function sortKey(element: unknown): string {
  if (element === null || typeof element !== 'object') return JSON.stringify(element);
  const members = element as Record<string, unknown>;
  const parts: unknown[] = [...KEYS, ...MORE_KEYS].map((name) => members[name] ?? null);
  return JSON.stringify(parts.every((part) => part === null) ? element : parts);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface FieldDifference {
  /** Field names without indices. */
  readonly kind: string;
  readonly path: string;
  readonly values: readonly [unknown, unknown];
}

/** Where two normalised answers differ. */
export function fieldDifferences(one: unknown, other: unknown, path = ''): FieldDifference[] {
  if (one === other) return [];
  const kind = path.replace(/\[[^\]]*\]/g, '[]');
  const isBoth = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  if (!isBoth || Array.isArray(one) !== Array.isArray(other)) return [{ kind, path, values: [one, other] }];
  if (Array.isArray(one) && Array.isArray(other)) return listDifferences(one, other, { kind, path });
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap((name) => fieldDifferences(a[name], b[name], path === '' ? name : `${path}.${name}`));
}

function listDifferences(
  one: readonly unknown[],
  other: readonly unknown[],
  at: { kind: string; path: string },
): FieldDifference[] {
  if (one.length !== other.length) return [{ ...at, kind: `${at.kind}.length`, values: [one, other] }];
  return one.flatMap((element, index) => {
    const name = (element as { name?: unknown } | null)?.name;
    const isNamed = typeof name === 'string' && name !== '';
    return fieldDifferences(element, other[index], `${at.path}[${isNamed ? name : index}]`);
  });
}
