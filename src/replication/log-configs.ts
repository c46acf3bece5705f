/**
 * The log settings of every topic: its own over the broker's. Known before the logs are opened, so that no retention
 * runs with settings that are not the topic's; kept current as the first subscriber of the metadata image.
 * Invariant: a log whose topic is unknown loses nothing: neither retention nor compaction is on for it.
 */
import type { ImageSubscriber } from '../cluster/image-publisher';
import type { BrokerConfig } from '../config/broker-config';
import type { LogConfig } from '../config/log-config';
import { type TopicOverrides, topicLogConfig } from '../config/topic-config';
import { Codec, prepareCodec } from '../records/compression';

/** Beyond so many different ones, they are no longer what many topics have in common. */
const REMEMBERED_SETTINGS = 256;

export class LogConfigs {
  readonly #config: BrokerConfig;
  readonly #overrides: Map<string, TopicOverrides>;
  /** By the settings that topics have of their own: those with the same ones share what comes of them. */
  readonly #made = new Map<string, LogConfig>();
  /** Shared by the many topics that have none. */
  #defaults: LogConfig;

  /** `known`: the topics' own settings as the control store has them at start. */
  constructor(config: BrokerConfig, known: ReadonlyMap<string, TopicOverrides>) {
    this.#config = config;
    this.#overrides = new Map(known);
    this.#defaults = topicLogConfig(config, new Map());
  }

  of(topic: string): LogConfig {
    const overrides = this.#overrides.get(topic);
    if (!overrides) return keepingAll(this.#defaults);
    if (overrides.size === 0) return this.#defaults;
    const settings = JSON.stringify([...overrides]);
    const made = this.#made.get(settings) ?? topicLogConfig(this.#config, overrides);
    // Logs keep theirs; what no topic has any more must not gather here.
    if (this.#made.size >= REMEMBERED_SETTINGS) this.#made.clear();
    this.#made.set(settings, made);
    return made;
  }

  readonly onImage: ImageSubscriber = async ({ changedTopics, deletedTopics, changedConfigs }) => {
    for (const { name } of deletedTopics) this.#overrides.delete(name);
    for (const { name, configs } of changedTopics) this.#overrides.set(name, configs);
    if (changedConfigs.some(({ scope }) => scope === 'brokers')) {
      this.#made.clear();
      this.#defaults = topicLogConfig(this.#config, new Map());
    }
    const compresses = [this.#defaults, ...changedTopics.map(({ name }) => this.of(name))];
    // Loaded before the first batch needs it: appending does not wait.
    if (compresses.some(({ compressionType }) => compressionType === 'zstd')) await prepareCodec(Codec.zstd);
  };
}

function keepingAll(config: LogConfig): LogConfig {
  return { ...config, cleanupDelete: false, cleanupCompact: false, retentionMs: -1, retentionBytes: -1 };
}
