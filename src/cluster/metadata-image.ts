/**
 * What a broker knows about its cluster at one moment: brokers, topics, partitions, settings, quotas of clients.
 * An image never changes; a change makes a new image and the delta between the two.
 * Knows nothing about where the facts come from (the local controller, or requests of a controller elsewhere).
 * Images share what they have in common: a change of one topic costs no copy of the others.
 */
import { LayeredMap } from '../base/layered-map';
import { type ClientQuota, type QuotaEntity, quotaEntityKey } from './client-quota';
import { collisionKey } from './topic-name';

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
  readonly quotas?: readonly ClientQuota[];
}

/** The topics by which two images differ; re-creation under the same name shows as deleted and changed. */
export interface MetadataDelta {
  readonly changedTopics: readonly TopicImage[];
  readonly deletedTopics: readonly TopicImage[];
  readonly changedConfigs: readonly ConfigResource[];
  readonly changedQuotas: readonly ClientQuota[];
}

type ConfigsByScope = ReadonlyMap<ConfigScope, ReadonlyMap<string, ReadonlyMap<string, string>>>;

/** The topics of an image, by what they are looked up by. */
interface Topics {
  readonly byName: LayeredMap<string, TopicImage>;
  readonly byId: LayeredMap<string, TopicImage>;
  /** Names by what metrics make of them: those that could collide with others. */
  readonly byCollisionKey: LayeredMap<string, readonly string[]>;
}

const NO_TOPICS: Topics = {
  byName: LayeredMap.empty(),
  byId: LayeredMap.empty(),
  byCollisionKey: LayeredMap.empty(),
};

const NO_CONFIGS: ReadonlyMap<string, string> = new Map();
const NO_QUOTAS: ClientQuota['values'] = new Map();

export class MetadataImage {
  readonly clusterId: string;
  /** Broker id of the controller, -1 while there is none. */
  readonly controllerId: number;
  readonly brokers: ReadonlyMap<number, BrokerRegistration>;
  readonly #topics: Topics;
  readonly #configs: ConfigsByScope;
  readonly #quotas: LayeredMap<string, ClientQuota>;

  private constructor(parts: {
    clusterId: string;
    controllerId: number;
    brokers: ReadonlyMap<number, BrokerRegistration>;
    topics: Topics;
    configs: ConfigsByScope;
    quotas: LayeredMap<string, ClientQuota>;
  }) {
    this.clusterId = parts.clusterId;
    this.controllerId = parts.controllerId;
    this.brokers = parts.brokers;
    this.#topics = parts.topics;
    this.#configs = parts.configs;
    this.#quotas = parts.quotas;
  }

  static empty(clusterId: string): MetadataImage {
    return new MetadataImage({
      clusterId,
      controllerId: -1,
      brokers: new Map(),
      topics: NO_TOPICS,
      configs: new Map(),
      quotas: LayeredMap.empty(),
    });
  }

  topic(name: string): TopicImage | undefined {
    return this.#topics.byName.get(name);
  }

  topicById(id: string): TopicImage | undefined {
    return this.#topics.byId.get(id);
  }

  partition(topic: string, partition: number): PartitionImage | undefined {
    return this.#topics.byName.get(topic)?.partitions[partition];
  }

  topics(): Iterable<TopicImage> {
    return this.#topics.byName.values();
  }

  get topicCount(): number {
    return this.#topics.byName.size;
  }

  /** A topic that metrics could not tell from one of this name: they take '.' and '_' for the same. */
  collidingTopic(name: string): string | undefined {
    const key = collisionKey(name);
    return key === undefined ? undefined : this.#topics.byCollisionKey.get(key)?.[0];
  }

  /** What was set for a broker, a group, ... at run time. */
  configs({ scope, name }: ConfigResource): ReadonlyMap<string, string> {
    return this.#configs.get(scope)?.get(name) ?? NO_CONFIGS;
  }

  /** The names in `scope` that have settings. */
  configured(scope: ConfigScope): string[] {
    return [...(this.#configs.get(scope)?.keys() ?? [])];
  }

  /** The quotas of `entity` itself: who has none may still be under a default. */
  quotasOf(entity: QuotaEntity): ClientQuota['values'] {
    return this.#quotas.get(quotaEntityKey(entity))?.values ?? NO_QUOTAS;
  }

  quotas(): Iterable<ClientQuota> {
    return this.#quotas.values();
  }

  /** The image after `change`, and what differs. */
  with(change: MetadataChange): { image: MetadataImage; delta: MetadataDelta } {
    const { topics, deletedTopics } = withTopics(this.#topics, change);
    const image = new MetadataImage({
      clusterId: this.clusterId,
      controllerId: change.controllerId ?? this.controllerId,
      brokers: change.brokers ?? this.brokers,
      topics,
      configs: withConfigs(this.#configs, change.configs ?? []),
      quotas: withQuotas(this.#quotas, change.quotas ?? []),
    });
    return {
      image,
      delta: {
        changedTopics: change.topics ?? [],
        deletedTopics,
        changedConfigs: change.configs ?? [],
        changedQuotas: change.quotas ?? [],
      },
    };
  }
}

function withTopics(former: Topics, change: MetadataChange): { topics: Topics; deletedTopics: TopicImage[] } {
  const { topics: changed = [], deletedTopics: deleted = [] } = change;
  if (changed.length === 0 && deleted.length === 0) return { topics: former, deletedTopics: [] };
  const afterDeletion = new Set(deleted.map(({ name }) => name));
  const replaced = changed.flatMap(({ name, id }) => {
    const topic = afterDeletion.has(name) ? undefined : former.byName.get(name);
    return topic && topic.id !== id ? [topic] : [];
  });
  const gone = [...deleted, ...replaced];
  const topics: Topics = {
    byName: former.byName.with({ remove: gone.map(({ name }) => name), set: changed.map((t) => [t.name, t]) }),
    byId: former.byId.with({ remove: gone.map(({ id }) => id), set: changed.map((t) => [t.id, t]) }),
    byCollisionKey: withCollisionKeys(former.byCollisionKey, gone, changed),
  };
  return { topics, deletedTopics: gone };
}

function withCollisionKeys(
  former: Topics['byCollisionKey'],
  gone: readonly TopicImage[],
  changed: readonly TopicImage[],
): Topics['byCollisionKey'] {
  const names = new Map<string, readonly string[]>();
  const update = (topic: TopicImage, next: (known: readonly string[]) => readonly string[]): void => {
    const key = collisionKey(topic.name);
    if (key !== undefined) names.set(key, next(names.get(key) ?? former.get(key) ?? []));
  };
  for (const topic of gone) update(topic, (known) => known.filter((name) => name !== topic.name));
  for (const topic of changed) update(topic, (known) => (known.includes(topic.name) ? known : [...known, topic.name]));
  if (names.size === 0) return former;
  const [full, empty] = [[...names].filter(([, n]) => n.length > 0), [...names].filter(([, n]) => n.length === 0)];
  return former.with({ remove: empty.map(([key]) => key), set: full });
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

function withQuotas(
  current: LayeredMap<string, ClientQuota>,
  changes: readonly ClientQuota[],
): LayeredMap<string, ClientQuota> {
  if (changes.length === 0) return current;
  const keys = (quotas: readonly ClientQuota[]): string[] => quotas.map(({ entity }) => quotaEntityKey(entity));
  const kept = changes.filter(({ values }) => values.size > 0);
  return current.with({ remove: keys(changes), set: kept.map((quota) => [quotaEntityKey(quota.entity), quota]) });
}
