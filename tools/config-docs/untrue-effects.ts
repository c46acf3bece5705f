/** Compares what the tables of settings say about effects with what the sources read. Pure. */
import { definitions } from '../../src/config/definitions';
import { topicDefinitions } from '../../src/config/topic-definitions';

/** The quoted texts of a source without its comments. */
function quotedTexts(source: string): Set<string> {
  const bare = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return new Set([...bare.matchAll(/'([a-z][a-z0-9._-]*)'/gi)].map((match) => match[1]!));
}

const OTHER_TABLES = 'topic-definitions|resource-definitions|internal-settings|config-entry|consistency';
/** Files that name every setting, or those that another broker knows; naming one there is no use of it. */
const TABLES = new RegExp(
  `(^|[/\\\\])(offline[/\\\\][^/\\\\]*|config[/\\\\](definitions[^/\\\\]*|${OTHER_TABLES}))\\.ts$`,
);

const BOUNDED =
  'assignment.interval.ms|heartbeat.interval.ms|session.timeout.ms|record.lock.duration.ms|' +
  'partition.max.record.locks|delivery.count.limit|standby.replicas';
const GROUP_BOUND = new RegExp(`^group[.](consumer|share|streams)[.](min|max)[.](${BOUNDED})$`);

/** A complaint per setting that has an effect by the table and is read nowhere, or the other way round. */
export function untrueEffects(sources: ReadonlyMap<string, string>): string[] {
  const read = new Set<string>();
  for (const [path, source] of sources) {
    if (!TABLES.test(path)) for (const text of quotedTexts(source)) read.add(text);
  }
  // Names put together from parts: the two timestamp limits and their common forerunner.
  for (const limit of ['before', 'after', 'difference']) read.add(`log.message.timestamp.${limit}.max.ms`);
  // The bounds of what groups may be set to: resource-configs.ts makes their names of the groups' own.
  if (read.has('min') && read.has('max')) {
    for (const key of Object.keys(definitions)) if (GROUP_BOUND.test(key)) read.add(key);
  }
  for (const [topicKey, { synonyms }] of Object.entries(topicDefinitions)) {
    if (read.has(topicKey)) for (const { key } of synonyms) read.add(key);
  }
  const complaints: string[] = [];
  for (const [key, { effect }] of Object.entries(definitions)) {
    if (effect === 'full' && !read.has(key)) complaints.push(`${key} has an effect by the table, and nothing reads it`);
    if (effect === 'none' && read.has(key))
      complaints.push(`${key} has no effect by the table, and something reads it`);
  }
  return complaints;
}
