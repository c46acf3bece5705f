/**
 * What a broker knows about its cluster at one moment: brokers, topics, partitions, topic configs.
 * An image never changes; a change makes a new image and the delta between the two.
 * Knows nothing about where the facts come from (the local controller, or requests of a controller elsewhere).
 */

export interface BrokerEndpoint {
  /** Listener name, e.g. `PLAINTEXT` or `INTERNAL`. */
  readonly listener: string;
  readonly host: string;
  readonly port: number;
  readonly securityProtocol: string;
}

export interface BrokerRegistration {
  readonly id: number;
  readonly rack: string | null;
  readonly endpoints: readonly BrokerEndpoint[];
}

export interface PartitionImage {
  readonly partition: number;
  /** Broker id, or `NO_LEADER`. */
  readonly leader: number;
  readonly leaderEpoch: number;
  /** Rises with every change of leader or in-sync replicas (the znode's version). */
  readonly partitionEpoch: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
}

export interface TopicImage {
  readonly name: string;
  /** 22 characters of URL-safe base64. */
  readonly id: string;
  readonly isInternal: boolean;
  /** Index = partition number; no gaps. */
  readonly partitions: readonly PartitionImage[];
  /** What was set for this topic, not the defaults. */
  readonly configs: ReadonlyMap<string, string>;
}

/** What besides topics has settings made at run time; the names are those of Kafka's znodes. */
export type ConfigScope = 'brokers' | 'groups' | 'client-metrics';

/** A broker (by its id; '' for all brokers), a group, a subscription of client metrics. */
export interface ConfigResource {
  readonly scope: ConfigScope;
  readonly name: string;
}

export interface ResourceConfigs extends ConfigResource {
  /** All settings that were made for it; none where it has no more. */
  readonly configs: ReadonlyMap<string, string>;
}

/** The leader of a partition that has none. */
export const NO_LEADER = -1;

/**
 * What changes. A topic that is named replaces the former one whole; one that is deleted may be unknown to the image
 * (its deletion was cut short by the end of the process) and still shows in the delta.
 */
export interface MetadataChange {
  readonly controllerId?: number;
  readonly brokers?: ReadonlyMap<number, BrokerRegistration>;
  readonly topics?: readonly TopicImage[];
  readonly deletedTopics?: readonly TopicImage[];
  readonly configs?: readonly ResourceConfigs[];
}

/** The topics by which two images differ; re-creation under the same name shows as deleted and changed. */
export interface MetadataDelta {
  readonly changedTopics: readonly TopicImage[];
  readonly deletedTopics: readonly TopicImage[];
  readonly changedConfigs: readonly ConfigResource[];
}

type ConfigsByScope = ReadonlyMap<ConfigScope, ReadonlyMap<string, ReadonlyMap<string, string>>>;

const NO_CONFIGS: ReadonlyMap<string, string> = new Map();

export class MetadataImage {
  readonly clusterId: string;
  /** Broker id of the controller, -1 while there is none. */
  readonly controllerId: number;
  readonly brokers: ReadonlyMap<number, BrokerRegistration>;
  readonly #byName: ReadonlyMap<string, TopicImage>;
  readonly #byId: ReadonlyMap<string, TopicImage>;
  readonly #configs: ConfigsByScope;

  private constructor(parts: {
    clusterId: string;
    controllerId: number;
    brokers: ReadonlyMap<number, BrokerRegistration>;
    byName: ReadonlyMap<string, TopicImage>;
    byId: ReadonlyMap<string, TopicImage>;
    configs: ConfigsByScope;
  }) {
    this.clusterId = parts.clusterId;
    this.controllerId = parts.controllerId;
    this.brokers = parts.brokers;
    this.#byName = parts.byName;
    this.#byId = parts.byId;
    this.#configs = parts.configs;
  }

  static empty(clusterId: string): MetadataImage {
    const topics = { byName: new Map(), byId: new Map() };
    return new MetadataImage({ clusterId, controllerId: -1, brokers: new Map(), ...topics, configs: new Map() });
  }

  topic(name: string): TopicImage | undefined {
    return this.#byName.get(name);
  }

  topicById(id: string): TopicImage | undefined {
    return this.#byId.get(id);
  }

  partition(topic: string, partition: number): PartitionImage | undefined {
    return this.#byName.get(topic)?.partitions[partition];
  }

  topics(): Iterable<TopicImage> {
    return this.#byName.values();
  }

  get topicCount(): number {
    return this.#byName.size;
  }

  /** What was set for a broker, a group, ... at run time. */
  configs({ scope, name }: ConfigResource): ReadonlyMap<string, string> {
    return this.#configs.get(scope)?.get(name) ?? NO_CONFIGS;
  }

  /** The names in `scope` that have settings. */
  configured(scope: ConfigScope): string[] {
    return [...(this.#configs.get(scope)?.keys() ?? [])];
  }

  /** The image after `change`, and what differs. */
  with(change: MetadataChange): { image: MetadataImage; delta: MetadataDelta } {
    const byName = new Map(this.#byName);
    const byId = new Map(this.#byId);
    const deletedTopics: TopicImage[] = [];
    const remove = (topic: TopicImage): void => {
      byName.delete(topic.name);
      byId.delete(topic.id);
      deletedTopics.push(topic);
    };
    for (const topic of change.deletedTopics ?? []) remove(topic);
    for (const topic of change.topics ?? []) {
      const former = byName.get(topic.name);
      if (former && former.id !== topic.id) remove(former);
      byName.set(topic.name, topic);
      byId.set(topic.id, topic);
    }
    const image = new MetadataImage({
      clusterId: this.clusterId,
      controllerId: change.controllerId ?? this.controllerId,
      brokers: change.brokers ?? this.brokers,
      byName,
      byId,
      configs: withConfigs(this.#configs, change.configs ?? []),
    });
    return {
      image,
      delta: { changedTopics: change.topics ?? [], deletedTopics, changedConfigs: change.configs ?? [] },
    };
  }
}

function withConfigs(current: ConfigsByScope, changes: readonly ResourceConfigs[]): ConfigsByScope {
  if (changes.length === 0) return current;
  const changed = new Map([...current].map(([scope, byName]) => [scope, new Map(byName)]));
  for (const { scope, name, configs } of changes) {
    const byName = changed.get(scope) ?? new Map<string, ReadonlyMap<string, string>>();
    changed.set(scope, byName);
    if (configs.size > 0) byName.set(name, configs);
    else byName.delete(name);
  }
  return changed;
}
