/**
 * Decides about topics and partitions, writes decisions to the control store and publishes them.
 * Answers when the decision holds: it is stored, and the leaders serve (or, for a deletion, nothing is left).
 * The decisions themselves are pure and lie beside this file; here they are put into effect, one request at a time;
 * requests of one kind that wait are stored and published together.
 * Invariant: what is published is stored; a deletion once decided is finished, by the next start if need be.
 */
import type { Clock } from '../../base/clock';
import { GatheredWork } from '../../base/gathered-work';
import type { Logger } from '../../base/logger';
import type { Random } from '../../base/random';
import { err, ok } from '../../base/result';
import { SerialQueue } from '../../base/serial-queue';
import { partitionKey, type TopicPartition } from '../../base/topic-partition';
import { ErrorCode } from '../../codec/generated/errors';
import type { BrokerConfig } from '../../config/broker-config';
import type { ClientQuota } from '../client-quota';
import type { ControlOperation, ControlStore } from '../control-store';
import type { ImagePublisher } from '../image-publisher';
import type { BrokerRegistration, TopicImage } from '../metadata-image';
import { loadQuotas, quotaOperations } from '../quota-nodes';
import { type LoadedTopics, loadConfigs, loadTopics, required } from '../topic-loader';
import { GROUP_METADATA_TOPIC, isInternalTopic } from '../topic-name';
import {
  addPartitionNodes,
  createTopicNodes,
  deleteTopicNodes,
  setPartitionStates,
  topicDeletionPath,
} from '../znodes';
import type { ChangeLimits } from './change-quota';
import { alteredImage, type ConfigAlteration, configAlteration } from './config-alteration';
import type { ConfigChange } from './config-change';
import { ControllerSession } from './controller-session';
import { EXCESSIVE_GROWTH, type ItemResult, isOverQuota, OVER_QUOTA, storeFailure } from './item-result';
import { renewLeadership, renewLeaderships } from './leader-election';
import { type ImportedMetadata, importedNodes } from './metadata-import';
import { isExcessiveGrowth, planPartitions } from './partition-creation';
import { planQuotas, type QuotaAlteration, type QuotaAlterationResult } from './quota-change';
import { autoCreatedTopic, type CreationContext, createdTopic, planTopics } from './topic-creation';
import type { CreatedTopic, NewPartitions, NewTopic } from './topic-requests';

export interface ControllerOptions {
  readonly store: ControlStore;
  readonly publisher: ImagePublisher;
  readonly config: BrokerConfig;
  /** This broker, which is also the controller. */
  readonly broker: BrokerRegistration;
  /** Whether the local replica serves as leader, asked after publication. */
  readonly leaderServes: (partition: TopicPartition) => boolean;
  /** What another broker left in the data directory; counts only where the store is new. */
  readonly imported?: ImportedMetadata;
  /** What the store holds, where it was read already and is not new. */
  readonly stored?: LoadedTopics | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface ValidateOnly {
  readonly validateOnly: boolean;
}

interface CreationRequest extends ValidateOnly, ChangeLimits {
  readonly requests: readonly NewTopic[];
}

interface GrowthRequest extends ValidateOnly, ChangeLimits {
  readonly requests: readonly NewPartitions[];
}

interface AlterationRequest extends ValidateOnly {
  readonly changes: readonly ConfigChange[];
}

interface DeletionRequest extends ChangeLimits {
  readonly names: readonly string[];
}

export class Controller {
  readonly #queue = new SerialQueue();
  readonly #creations = new GatheredWork(this.#queue, (all: readonly CreationRequest[]) => this.#createAll(all));
  readonly #growths = new GatheredWork(this.#queue, (all: readonly GrowthRequest[]) => this.#growAll(all));
  readonly #alterations = new GatheredWork(this.#queue, (all: readonly AlterationRequest[]) => this.#alterAll(all));
  readonly #deletions = new GatheredWork(this.#queue, (all: readonly DeletionRequest[]) => this.#deleteAll(all));
  readonly #options: ControllerOptions;
  readonly #session: ControllerSession;
  /** Partition keys of local replicas whose storage failed; they come back by a restart. */
  readonly #failedReplicas = new Set<string>();

  private constructor(options: ControllerOptions, session: ControllerSession) {
    this.#options = options;
    this.#session = session;
  }

  /**
   * Takes office, gives every partition a new leadership, finishes deletions that were cut short and publishes the
   * whole image. Rejects when the store cannot be read or written, or belongs to another cluster.
   * `stored`: the topics in the store, where they were read already and it is not new.
   */
  static async start(options: ControllerOptions, stored?: LoadedTopics): Promise<Controller> {
    const { store, publisher, broker } = options;
    const { clusterId } = publisher.image;
    const initialNodes = options.imported ? importedNodes(options.imported, broker.id) : [];
    const nowMs = options.clock.nowMs();
    const session = await ControllerSession.open({ store, clusterId, broker, nowMs, initialNodes });
    const controller = new Controller(options, session);
    await controller.#takeOver(stored);
    return controller;
  }

  /** One result per topic, in order; a topic named twice is created once. */
  createTopics(
    requests: readonly NewTopic[],
    { validateOnly, quota }: ValidateOnly & ChangeLimits,
  ): Promise<ItemResult<CreatedTopic>[]> {
    return this.#creations.add({ requests, validateOnly, quota });
  }

  /** Each request is planned on top of the earlier ones, as if they were there already. */
  async #createAll(all: readonly CreationRequest[]): Promise<ItemResult<CreatedTopic>[][]> {
    let context = this.#creationContext();
    const plans = all.map(({ requests, validateOnly, quota }) => {
      const planned = planTopics(requests, context);
      // What is only validated counts, too, as since Kafka 4.0.
      const admitted = planned.map((plan) =>
        plan.ok && isOverQuota(quota, plan.value.partitions.length) ? OVER_QUOTA : plan,
      );
      if (validateOnly) return admitted;
      const topics = admitted.flatMap((plan) => (plan.ok ? [plan.value] : []));
      context = { ...context, image: context.image.with({ topics }).image };
      return admitted;
    });
    const created = await this.#create(plans.flatMap((plan, i) => (all[i]!.validateOnly ? [] : plan)));
    return plans.map((plan, i) => {
      const { validateOnly } = all[i]!;
      const results = validateOnly ? plan : created.splice(0, plan.length);
      return results.map((result) => (result.ok ? ok(createdTopic(result.value, { validateOnly })) : result));
    });
  }

  /** Creates those that are missing, with the broker's defaults; one result per name, in order. */
  autoCreateTopics(names: readonly string[], { quota }: ChangeLimits = {}): Promise<ItemResult<void>[]> {
    return this.#queue.run(async () => {
      const context = this.#creationContext();
      const missing = [...new Set(names)].filter((name) => !context.image.topic(name) && isAutoCreatable(name));
      const planned = planTopics(
        missing.map((name) => autoCreatedTopic(name, context)),
        context,
      );
      for (const plan of planned) if (plan.ok) quota?.admits(plan.value.partitions.length);
      const created = await this.#create(planned);
      return names.map((name) => {
        const result = created[missing.indexOf(name)];
        if (result && !result.ok) return result;
        if (result || context.image.topic(name)) return ok(undefined);
        return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
      });
    });
  }

  /** By name; one result per name, in order. Logs are gone when it resolves. */
  deleteTopics(names: readonly string[], { quota }: ChangeLimits = {}): Promise<ItemResult<void>[]> {
    return this.#deletions.add({ names, quota });
  }

  async #deleteAll(all: readonly DeletionRequest[]): Promise<ItemResult<void>[][]> {
    const { image } = this.#options.publisher;
    const topics = new Map<string, TopicImage>();
    const results = all.map(({ names, quota }) =>
      Promise.all(
        names.map(async (name): Promise<ItemResult<void>> => {
          const topic = image.topic(name);
          if (!topic || topics.has(name)) return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
          if (isOverQuota(quota, topic.partitions.length)) return OVER_QUOTA;
          topics.set(name, topic);
          const marked = await this.#session.commit([{ kind: 'create', path: topicDeletionPath(name), data: '' }]);
          if (marked.ok) return ok(undefined);
          topics.delete(name);
          return storeFailure(marked.error, marked.message);
        }),
      ),
    );
    const marked = await Promise.all(results);
    if (topics.size > 0) await this.#finishDeletions([...topics.values()]);
    return marked;
  }

  /** One result per request, in order. */
  createPartitions(
    requests: readonly NewPartitions[],
    { validateOnly, quota }: ValidateOnly & ChangeLimits,
  ): Promise<ItemResult<void>[]> {
    return this.#growths.add({ requests, validateOnly, quota });
  }

  async #growAll(all: readonly GrowthRequest[]): Promise<ItemResult<void>[][]> {
    let context = this.#creationContext();
    const plans = all.map(({ requests, validateOnly, quota }): Promise<ItemResult<TopicImage>>[] => {
      const { image } = context;
      if (isExcessiveGrowth(requests, image)) return requests.map(async () => EXCESSIVE_GROWTH);
      const topics: TopicImage[] = [];
      const stored = requests.map(async (request): Promise<ItemResult<TopicImage>> => {
        const planned = planPartitions(request, image, context);
        if (!planned.ok) return planned;
        const first = image.topic(request.name)!.partitions.length;
        if (isOverQuota(quota, planned.value.partitions.length - first)) return OVER_QUOTA;
        if (validateOnly) return planned;
        topics.push(planned.value);
        const written = await this.#session.commit(addPartitionNodes(planned.value, first, this.#session.epoch));
        return written.ok ? planned : storeFailure(written.error, written.message);
      });
      context = { ...context, image: image.with({ topics }).image };
      return stored;
    });
    const grown = await Promise.all(plans.map((plan) => Promise.all(plan)));
    const served = await this.#publish(grown.flatMap((results, i) => (all[i]!.validateOnly ? [] : results)));
    return grown.map((results, i) => {
      const outcomes = all[i]!.validateOnly ? results : served.splice(0, results.length);
      return outcomes.map((result) => (result.ok ? ok(undefined) : result));
    });
  }

  /** One result per change, in order; no two are of the same resource. What holds of them counts when it resolves. */
  alterConfigs(changes: readonly ConfigChange[], { validateOnly }: ValidateOnly): Promise<ItemResult<void>[]> {
    return this.#alterations.add({ changes, validateOnly });
  }

  async #alterAll(all: readonly AlterationRequest[]): Promise<ItemResult<void>[][]> {
    const { planConfigs } = require('./config-change') as typeof import('./config-change');
    const { publisher, config } = this.#options;
    let { image } = publisher;
    const alterations: ConfigAlteration[] = [];
    const results = all.map(({ changes, validateOnly }): Promise<ItemResult<void>>[] => {
      const before = image;
      const made: ConfigAlteration[] = [];
      const stored = changes.map(async (change): Promise<ItemResult<void>> => {
        const planned = planConfigs(change, { image: before, config });
        if (!planned.ok) return planned;
        if (validateOnly) return ok(undefined);
        const alteration = configAlteration(change.resource, planned.value, before);
        made.push(alteration);
        const { operation } = alteration;
        const written = operation ? await this.#session.commit([operation]) : ok(undefined);
        if (!written.ok) return storeFailure(written.error, written.message);
        alterations.push(alteration);
        return ok(undefined);
      });
      image = before.with(alteredImage(made)).image;
      return stored;
    });
    const outcomes = await Promise.all(results.map((stored) => Promise.all(stored)));
    if (alterations.length > 0) await publisher.apply(alteredImage(alterations));
    return outcomes;
  }

  /** One result per entity, in the order in which they are named first. What holds of them counts when it resolves. */
  alterQuotas(
    alterations: readonly QuotaAlteration[],
    { validateOnly, unknownHosts }: ValidateOnly & { readonly unknownHosts: ReadonlySet<string> },
  ): Promise<readonly QuotaAlterationResult[]> {
    return this.#queue.run(async () => {
      const { store, publisher } = this.#options;
      const { results, changes } = planQuotas(alterations, {
        valuesOf: (entity) => publisher.image.quotasOf(entity),
        unknownHosts,
      });
      if (validateOnly || changes.length === 0) return results;
      const stored: ClientQuota[] = [];
      let failure: ItemResult<void> | undefined;
      for (const quota of changes) {
        const written = await this.#session.commit(await quotaOperations(store, quota));
        if (written.ok) stored.push(quota);
        else failure ??= storeFailure(written.error, written.message);
      }
      await publisher.apply({ quotas: stored });
      return results.map((each) => ({ ...each, result: each.result.ok && failure ? failure : each.result }));
    });
  }

  /** The storage of a local replica failed: another one leads, or none does. */
  replicaFailed(replica: TopicPartition): Promise<void> {
    return this.#queue.run(() => this.#giveUpReplica(replica));
  }

  #canLead = (topic: string, partition: number, brokerId: number): boolean =>
    brokerId === this.#options.broker.id && !this.#failedReplicas.has(partitionKey(topic, partition));

  #creationContext(): CreationContext {
    const { publisher, config, random } = this.#options;
    return { image: publisher.image, config, random, brokerIds: [...publisher.image.brokers.keys()] };
  }

  async #giveUpReplica({ topic: name, partition }: TopicPartition): Promise<void> {
    const topic = this.#options.publisher.image.topic(name);
    if (!topic?.partitions[partition]) return;
    this.#failedReplicas.add(partitionKey(name, partition));
    const renewed = renewLeadership(topic, partition, this.#canLead);
    const states = setPartitionStates(name, [renewed.partitions[partition]!], this.#session.epoch);
    const stored = await this.#session.commit(states);
    // The disk that failed may be the one that holds the metadata: clients must hear of it all the same.
    if (!stored.ok) this.#options.logger.error('loss of a leader could not be stored', { topic: name, partition });
    await this.#options.publisher.apply({ topics: [renewed] });
  }

  async #takeOver(loaded: LoadedTopics | undefined): Promise<void> {
    const { store, publisher, broker } = this.#options;
    const { topics, deletions } = loaded ?? (await loadTopics(store));
    const kept = topics.filter((topic) => !deletions.includes(topic));
    const renewed = kept.map((topic) => renewLeaderships(topic, this.#canLead));
    const stored = await Promise.all(
      renewed.map((topic) =>
        this.#session.commit(setPartitionStates(topic.name, topic.partitions, this.#session.epoch)),
      ),
    );
    for (const result of stored) required(result);
    const brokers = new Map([[broker.id, broker]]);
    const configs = await loadConfigs(store);
    const quotas = await loadQuotas(store, this.#options.logger);
    await publisher.apply({ controllerId: broker.id, brokers, topics: renewed, configs, quotas });
    if (deletions.length > 0) await this.#finishDeletions(deletions);
    for (const { name: topic, partitions } of renewed) {
      for (const { partition, leader } of partitions) {
        const isLed = leader !== broker.id || this.#options.leaderServes({ topic, partition });
        if (!isLed) await this.#giveUpReplica({ topic, partition });
      }
    }
  }

  /** Stores and publishes what was planned; the results of those that were refused stay in their places. */
  async #create(planned: readonly ItemResult<TopicImage>[]): Promise<ItemResult<TopicImage>[]> {
    const stored = await Promise.all(
      planned.map(async (plan): Promise<ItemResult<TopicImage>> => {
        if (!plan.ok) return plan;
        const result = await this.#session.commit(createTopicNodes(plan.value, this.#session.epoch));
        return result.ok ? plan : storeFailure(result.error, result.message);
      }),
    );
    const served = await this.#publish(stored);
    const failed = stored.flatMap((result, i) => (result.ok && !served[i]!.ok ? [result.value] : []));
    if (failed.length > 0) await this.#undoCreation(failed);
    return served;
  }

  /** A topic without storage would be in the way of the client's next attempt, which may find room on the disk. */
  async #undoCreation(topics: readonly TopicImage[]): Promise<void> {
    const marks = topics.map(({ name }): ControlOperation => {
      return { kind: 'create', path: topicDeletionPath(name), data: '' };
    });
    const marked = await this.#session.commit(marks);
    if (marked.ok) return this.#finishDeletions(topics);
    const fields = { topics: topics.map(({ name }) => name), error: marked.error };
    this.#options.logger.error('topics whose storage failed could not be taken back', fields);
  }

  /** Publishes the topics that are stored, and looks whether their leaders serve. */
  async #publish(stored: readonly ItemResult<TopicImage>[]): Promise<ItemResult<TopicImage>[]> {
    const { publisher, leaderServes } = this.#options;
    // Of a topic that two requests changed, the later image holds both changes.
    const topics = new Map(stored.flatMap((result) => (result.ok ? [[result.value.name, result.value]] : [])));
    if (topics.size > 0) await publisher.apply({ topics: [...topics.values()] });
    return stored.map((result) => {
      if (!result.ok) return result;
      const { name: topic, partitions } = result.value;
      if (partitions.every(({ partition }) => leaderServes({ topic, partition }))) return result;
      return err(ErrorCode.KAFKA_STORAGE_ERROR, `The storage of topic '${topic}' failed`);
    });
  }

  /** For topics that carry the mark of deletion: their logs go, then their nodes. */
  async #finishDeletions(topics: readonly TopicImage[]): Promise<void> {
    await this.#options.publisher.apply({ deletedTopics: topics });
    for (const { name, partitions } of topics) {
      for (const { partition } of partitions) this.#failedReplicas.delete(partitionKey(name, partition));
    }
    const removed = await Promise.all(topics.map((topic) => this.#session.commit(deleteTopicNodes(topic))));
    removed.forEach((result, i) => {
      if (result.ok) return;
      const fields = { topic: topics[i]!.name, error: result.error };
      this.#options.logger.error('deletion of a topic will be finished by the next start', fields);
    });
  }
}

/** Of the topics that the broker writes itself, only the offsets topic is made on demand. */
function isAutoCreatable(name: string): boolean {
  return name === GROUP_METADATA_TOPIC || !isInternalTopic(name);
}
