/** The text of `src/config/README.md`: how settings are given, and a table of each area. Pure. */
import { type Definition, formatConfigValue } from '../../src/config/definition';
import { kraftDefinitions, zookeeperDefinitions } from '../../src/config/definitions-cluster';
import {
  consumerGroupDefinitions,
  groupDefinitions,
  shareGroupDefinitions,
  streamsGroupDefinitions,
} from '../../src/config/definitions-group';
import { logDefinitions } from '../../src/config/definitions-log';
import { netDefinitions } from '../../src/config/definitions-net';
import { ownDefinitions } from '../../src/config/definitions-own';
import { remoteDefinitions, replicationDefinitions } from '../../src/config/definitions-replication';
import {
  oauthDefinitions,
  saslDefinitions,
  securityDefinitions,
  sslDefinitions,
} from '../../src/config/definitions-security';
import {
  clientMetricsDefinitions,
  groupDefinitions as groupSettings,
  type ResourceTable,
} from '../../src/config/resource-definitions';
import { topicDefinitions } from '../../src/config/topic-definitions';

type Rows = Readonly<Record<string, Definition>>;

const AREAS: readonly (readonly [string, Rows])[] = [
  ["Odradek's own: metrics, health, what is slow", ownDefinitions],
  ['Broker, listeners, connections, requests', netDefinitions],
  ['Logs', logDefinitions],
  ['Topics, replicas, producers', replicationDefinitions],
  ['Groups and committed offsets', groupDefinitions],
  ['Consumer groups of the newer protocol', consumerGroupDefinitions],
  ['Share groups', shareGroupDefinitions],
  ['Streams groups', streamsGroupDefinitions],
  ['Security', securityDefinitions],
  ['TLS', sslDefinitions],
  ['SASL', saslDefinitions],
  ['OAuth', oauthDefinitions],
  ['KRaft', kraftDefinitions],
  ['ZooKeeper', zookeeperDefinitions],
  ['Segments on another storage', remoteDefinitions],
];

const INTRODUCTION = `# Settings

This file is written by \`npm run config-docs\` from the tables in \`definitions-*.ts\`,
\`topic-definitions.ts\` and \`resource-definitions.ts\`.

Settings have Kafka's names, types and defaults; those of Kafka 3.9 and 4.4 are known. Where the two differ, the default
is the newer one and the allowed range the wider one. From weak to strong, a setting comes from

1. the default,
2. the file given to \`odradek start FILE\`, in Java's format of properties,
3. the environment, as in Kafka's container image: \`KAFKA_LOG_DIRS\` is \`log.dirs\`; \`_\` stands for a dot,
   \`__\` for an underscore, \`___\` for a dash,
4. \`--override KEY=VALUE\`,
5. \`--port\` (the port of the first listener) and \`--data-dir\` (\`log.dirs\`),
6. what clients set at run time for all brokers (\`kafka-configs --entity-type brokers --entity-default\`),
7. what clients set at run time for this broker (\`--entity-name ID\`).

What clients set at run time counts at once, is kept with the data, and counts again after a restart. A topic's own
settings are stronger than all of these.

A known setting with an impossible value stops the start. An unknown one is a warning, or stops the start with
\`--strict\`.
`;

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function defaultText(definition: Definition): string {
  const text = formatConfigValue(definition.type, definition.default);
  const own = text === null ? '' : text === '' ? 'empty' : code(text);
  return definition.kafkaDefault === undefined ? own : `${own} (Kafka: ${code(definition.kafkaDefault)})`;
}

const UPDATE: Readonly<Record<Definition['update'], string>> = {
  'read-only': 'at start',
  'per-broker': 'at run time, per broker',
  'cluster-wide': 'at run time',
};

function table(rows: readonly (readonly [string, Definition])[]): string {
  const lines = rows.map(([key, definition]) => {
    const { type, check, update, doc } = definition;
    const cells = [code(key), type, defaultText(definition), check?.allowed ?? '', UPDATE[update], doc];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| key | type | default | allowed | set | meaning |', '|---|---|---|---|---|---|', ...lines, ''].join('\n');
}

function select(rows: Rows, effect: Definition['effect']): [string, Definition][] {
  return Object.entries(rows).filter(([, definition]) => definition.effect === effect);
}

function shortList(effect: Definition['effect']): string {
  const parts: string[] = [];
  for (const [title, rows] of AREAS) {
    const selected = select(rows, effect);
    if (selected.length === 0) continue;
    parts.push(`### ${title}\n`);
    parts.push(...selected.map(([key, definition]) => `- ${code(key)} (${definition.type}): ${definition.doc}`), '');
  }
  return parts.join('\n');
}

function topicTable(): string {
  const lines = Object.entries(topicDefinitions).map(([key, { definition, synonyms }]) => {
    const { type, check, doc, effect } = definition as Definition;
    const from = synonyms.map((synonym) => code(synonym.key)).join(', ') || defaultText(definition);
    const note = effect === 'none' ? ' Without effect.' : '';
    return `| ${code(key)} | ${type} | ${from} | ${check?.allowed ?? ''} | ${doc}${note} |`;
  });
  return ['| key | type | default from | allowed | meaning |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}

function resourceTable(rows: ResourceTable): string {
  const lines = Object.entries(rows).map(([key, { definition, synonym }]) => {
    const from = synonym ? code(synonym) : defaultText(definition);
    return `| ${code(key)} | ${definition.type} | ${from} | ${definition.check?.allowed ?? ''} | ${definition.doc} |`;
  });
  return ['| key | type | default from | allowed | meaning |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}

/** Kafka's table has no rows for these either. */
const RUN_TIME_ONLY = `Given to \`kafka-configs\` and by tools that move partitions; not in files.

- \`replica.alter.log.dirs.io.max.bytes.per.second\`: bytes a second that moves between log directories may copy.
- \`leader.replication.throttled.rate\`, \`follower.replication.throttled.rate\`: bytes a second for the replicas that a
  topic's \`*.replication.throttled.replicas\` name. Kept and described; they take effect once there is replication.

Quotas of clients are no settings: \`kafka-configs --entity-type users|clients|ips\` sets \`producer_byte_rate\`,
\`consumer_byte_rate\`, \`request_percentage\`, \`controller_mutation_rate\` and \`connection_creation_rate\`.
`;

/** The whole file. */
export function configReadme(): string {
  const parts = [INTRODUCTION];
  for (const [title, rows] of AREAS) {
    const selected = select(rows, 'full');
    if (selected.length > 0) parts.push(`## ${title}\n`, table(selected));
  }
  parts.push('## Settings of topics\n', topicTable());
  const kept = 'Kept and described, so that tools find them. Without effect.\n';
  parts.push('## Settings of groups\n', kept, resourceTable(groupSettings));
  parts.push('## Settings of client metrics\n', kept, resourceTable(clientMetricsDefinitions));
  parts.push('## Set at run time alone\n', RUN_TIME_ONLY);
  parts.push('## Refused\n', 'Any value but the default stops the start: to ignore them would be dangerous.\n');
  parts.push(shortList('refused'));
  parts.push('## Accepted without effect\n', 'Known so that existing files work; the start logs those that are set.\n');
  parts.push(shortList('none'));
  return `${parts.join('\n').trimEnd()}\n`;
}
