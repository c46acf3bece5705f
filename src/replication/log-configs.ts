/**
 * The log settings of every topic: its own over the broker's. Known before the logs are opened, so that no retention
 * runs with settings that are not the topic's; kept current as the first subscriber of the metadata image.
 * Invariant: a log whose topic is unknown loses nothing: neither retention nor compaction is on for it.
 */
import type { ImageSubscriber } from '../cluster/image-publisher';
import type { BrokerConfig } from '../config/broker-config';
import type { LogConfig } from '../config/log-config';
import { type TopicOverrides, topicLogConfig } from '../config/topic-config';

export class LogConfigs {
  readonly #config: BrokerConfig;
  readonly #byTopic = new Map<string, LogConfig>();
  /** Shared by the many topics that have no settings of their own. */
  readonly #defaults: LogConfig;
  readonly #unknown: LogConfig;

  /** `known`: the topics' own settings as the control store has them at start. */
  constructor(config: BrokerConfig, known: ReadonlyMap<string, TopicOverrides>) {
    this.#config = config;
    this.#defaults = topicLogConfig(config, new Map());
    for (const [topic, overrides] of known) this.#byTopic.set(topic, this.#configOf(overrides));
    this.#unknown = {
      ...this.#defaults,
      cleanupDelete: false,
      cleanupCompact: false,
      retentionMs: -1,
      retentionBytes: -1,
    };
  }

  of(topic: string): LogConfig {
    return this.#byTopic.get(topic) ?? this.#unknown;
  }

  readonly onImage: ImageSubscriber = async ({ changedTopics, deletedTopics }) => {
    for (const { name } of deletedTopics) this.#byTopic.delete(name);
    for (const { name, configs } of changedTopics) this.#byTopic.set(name, this.#configOf(configs));
  };

  #configOf(overrides: TopicOverrides): LogConfig {
    return overrides.size === 0 ? this.#defaults : topicLogConfig(this.#config, overrides);
  }
}
