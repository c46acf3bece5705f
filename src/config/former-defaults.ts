/**
 * What topics of an adopted data directory took for defaults at the broker that made them. Settings made there at run
 * time are known from its metadata; those of its file are not, so that nothing may be deleted for want of them:
 * without a setting, an adopted topic keeps everything. Pure.
 */
import { FORMER_DEFAULT_PREFIX } from './topic-config';
import { type Synonym, topicDefinitions } from './topic-definitions';

/** Without a limit, whatever the default is here. */
const KEEPING: ReadonlyMap<string, string> = new Map([
  ['retention.ms', '-1'],
  ['retention.bytes', '-1'],
  // Nothing is compacted: the lag, and how long tombstones were to stay, are not known either.
  ['min.compaction.lag.ms', '9223372036854775807'],
]);

function settingFor(settings: ReadonlyMap<string, string>, synonyms: readonly Synonym[]): string | undefined {
  for (const { key, factor } of synonyms) {
    const value = settings.get(key);
    if (value === undefined) continue;
    if (factor === undefined) return value;
    return Number(value) < 0 ? '-1' : String(Number(value) * factor);
  }
  return undefined;
}

/**
 * Settings to be kept with each adopted topic beside its own. `runtimeSettings`: those of the former broker made at run
 * time, by their broker names.
 */
export function formerDefaults(runtimeSettings: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const defaults = new Map<string, string>();
  for (const [key, { synonyms }] of Object.entries(topicDefinitions)) {
    const value = settingFor(runtimeSettings, synonyms) ?? KEEPING.get(key);
    if (value !== undefined) defaults.set(FORMER_DEFAULT_PREFIX + key, value);
  }
  return defaults;
}
