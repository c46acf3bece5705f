/**
 * Holds the tables of settings against Kafka's: a complaint for each setting that is missing, or has another type,
 * default, range or way of being changed, unless the difference is meant and has its reason here. Pure.
 */
import { type Definition, formatConfigValue, parseConfigValue } from '../../src/config/definition';
import { definitions } from '../../src/config/definitions';
import { internalSettings } from '../../src/config/internal-settings';
import { clientMetricsDefinitions, groupDefinitions } from '../../src/config/resource-definitions';
import { topicDefinitions } from '../../src/config/topic-definitions';
import type { FactScope, SettingFact } from './facts';

type Table = Readonly<Record<string, Definition>>;

function rows(table: Readonly<Record<string, { readonly definition: Definition }>>): Table {
  return Object.fromEntries(Object.entries(table).map(([name, { definition }]) => [name, definition]));
}

const TABLES: Readonly<Record<FactScope, Table>> = {
  broker: definitions,
  topic: rows(topicDefinitions as Readonly<Record<string, { readonly definition: Definition }>>),
  group: rows(groupDefinitions),
  'client-metrics': rows(clientMetricsDefinitions),
};

/** Differences that are meant: the start of the complaint, and why. */
export const MEANT: readonly (readonly [complaint: string, reason: string])[] = [
  ['broker controller.listener.names default', 'no listener of a controller is there to be named'],
  ['broker process.roles default', 'whether a file is for KRaft or not makes no difference'],
  ['broker node.id', 'unset, -1: the number that the data directory has'],
  ['broker log.segment.bytes range', 'as in 3.9: from 14 on'],
  ['topic segment.bytes range', 'as in 3.9: from 14 on'],
  ['broker metadata.log.segment.bytes range', 'as in 3.9: from 12 on'],
  ['broker remote.log.manager.copier.thread.pool.size range', 'as in 3.9: -1 as well'],
  ['broker remote.log.manager.expiration.thread.pool.size range', 'as in 3.9: -1 as well'],
  ['group streams.assignor.name default', 'told as what the broker would take'],
  ['broker super.users is no setting', 'of the authorizer'],
  ['broker allow.everyone.if.no.acl.found is no setting', 'of the authorizer'],
  ['broker leader.replication.throttled.rate', 'clients set it at run time; Kafka has a table of its own for such'],
  ['broker follower.replication.throttled.rate', 'the same'],
  ['broker replica.alter.log.dirs.io.max.bytes.per.second', 'the same'],
  ['broker odradek.', 'settings of our own'],
];

/** Ranges as Kafka prints them: `[1,...]`, `[0,...,1]`, the latter with ` or -1`. */
const RANGE = /^\[(-?[\d.]+),\.\.\.(?:,(-?[\d.]+))?\]( or -1)?$/;

function isAllowed(definition: Definition, source: string): boolean {
  const parsed = parseConfigValue(definition.type, source);
  return parsed.ok && (definition.check?.test(parsed.value) ?? true);
}

/** What is wrong with the bounds, by trying them. */
function rangeComplaint(definition: Definition, allowed: string): string | undefined {
  const [, low, high, orMinusOne] = RANGE.exec(allowed) ?? [];
  if (low === undefined) return undefined;
  const tries: (readonly [string, boolean])[] = [[low, true]];
  if (!orMinusOne || Number(low) !== 0) tries.push([String(Number(low) - 1), Number(low) === 0 && Boolean(orMinusOne)]);
  if (high !== undefined) tries.push([high, true], [String(Number(high) + 1), false]);
  const wrong = tries.find(([value, expected]) => isAllowed(definition, value) !== expected);
  if (wrong === undefined) return undefined;
  return `range: ${allowed} in Kafka, and ${wrong[0]} is ${wrong[1] ? 'refused' : 'allowed'} here`;
}

function rowComplaints(fact: SettingFact, definition: Definition): string[] {
  const complaints: string[] = [];
  if (definition.type !== fact.type) complaints.push(`type: ${fact.type} in Kafka, ${definition.type} here`);
  const own = definition.kafkaDefault ?? formatConfigValue(definition.type, definition.default);
  if (own !== fact.default) complaints.push(`default: ${fact.default} in Kafka, ${own} here`);
  if (fact.mode !== '' && definition.update !== fact.mode) {
    complaints.push(`mode: ${fact.mode} in Kafka, ${definition.update} here`);
  }
  const range = rangeComplaint(definition, fact.allowed);
  if (range !== undefined) complaints.push(range);
  if (fact.scope === 'broker' && internalSettings.has(fact.name) !== fact.isInternal) {
    complaints.push(`internal: ${fact.isInternal} in Kafka`);
  }
  return complaints;
}

/** All that differs, without what is meant. */
export function unlikeKafka(
  facts: readonly SettingFact[],
  meant: readonly (readonly [string, string])[] = MEANT,
): string[] {
  const complaints: string[] = [];
  for (const fact of facts) {
    const definition = TABLES[fact.scope][fact.name];
    const at = `${fact.scope} ${fact.name}`;
    // Groups have what the newest release tells of; what it keeps to itself there cannot be asked for.
    if (definition === undefined && fact.scope === 'group' && fact.isInternal) continue;
    if (definition === undefined) complaints.push(`${at} is missing`);
    else complaints.push(...rowComplaints(fact, definition).map((complaint) => `${at} ${complaint}`));
  }
  const known = new Set(facts.map(({ scope, name }) => `${scope} ${name}`));
  for (const [scope, table] of Object.entries(TABLES)) {
    for (const name of Object.keys(table)) {
      if (!known.has(`${scope} ${name}`)) complaints.push(`${scope} ${name} is no setting of Kafka`);
    }
  }
  return complaints.filter((complaint) => !meant.some(([start]) => complaint.startsWith(start)));
}
