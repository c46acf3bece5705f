/**
 * The composition root: builds the parts of a broker, wires them, starts them in order and stops them in the opposite
 * one. Owns that order and nothing else. A start that fails leaves nothing behind.
 */
import { BootstrapWatch } from './api/bootstrap-watch';
import type { BrokerServices } from './api/broker-services';
import { ClientEndpoints } from './api/client-endpoints';
import { Dispatcher } from './api/dispatcher';
import { FetchSessions } from './api/fetch-session';
import { handlers } from './api/generated/handlers';
import { type Clock, systemClock } from './base/clock';
import type { Logger } from './base/logger';
import { type Random, systemRandom } from './base/random';
import { StartFailure } from './base/start-failure';
import { Controller } from './cluster/controller/controller';
import { EmbeddedControlStore } from './cluster/embedded-control-store';
import { ImagePublisher } from './cluster/image-publisher';
import { type BrokerRegistration, MetadataImage } from './cluster/metadata-image';
import { ProducerIdManager } from './cluster/producer-id-manager';
import { followRuntimeConfig, loadRuntimeConfig } from './cluster/runtime-config';
import { storedClusterId } from './cluster/stored-cluster-id';
import { metadataPath } from './cluster/stored-metadata';
import { getIfPresent, type LoadedTopics, loadTopics } from './cluster/topic-loader';
import { GROUP_METADATA_TOPIC } from './cluster/topic-name';
import { CONTROLLER_EPOCH_PATH } from './cluster/znodes';
import type { BrokerConfig } from './config/broker-config';
import {
  cleanerSettings,
  configuredBrokerId,
  cordonedDirs,
  dataDirs,
  moveBytesPerSecond,
} from './config/derived-settings';
import type { ListenerPlan } from './config/listeners';
import { FORMER_DEFAULT_PREFIX } from './config/topic-config';
import { GroupCoordinator } from './coordinator/group/group-coordinator';
import { CoordinatorPartitions } from './coordinator-partitions';
import { type DescriptorBudget, descriptorBudget } from './descriptor-budget';
import { diskLocking } from './disk-locking';
import { type AdoptedMetadata, adoptedMetadata } from './log/adoption';
import { claimDataDirectories, type DataDirectories } from './log/data-directories';
import { type FileSystem, FileSystemError } from './log/file-system';
import { describeLogDirs } from './log/log-dir-description';
import { LogManager } from './log/log-manager';
import { resolveHost } from './net/resolve-host';
import { type BoundListener, Server } from './net/server';
import { Observation } from './observation';
import { openClientTelemetry } from './open-client-telemetry';
import { openQuotas, type QuotaParts } from './open-quotas';
import { noteFailedDirectories } from './replication/failed-directories';
import { LogConfigs } from './replication/log-configs';
import { LogDirMoves } from './replication/log-dir-moves';
import { ReplicaManager } from './replication/replica-manager';
import { setStrayLogsAside } from './replication/stray-logs';
import { serverLimits } from './server-limits';
import { type CloseOptions, Stops } from './stops';

/** How long requests under way may take when the broker stops. */
const STOP_GRACE_MS = 1000;
/** How much of that the quick ones get before parked group requests are sent away. */
const QUICK_GRACE_MS = 100;
const PROGRESS_INTERVAL_MS = 1000;

export interface RunBrokerOptions {
  readonly config: BrokerConfig;
  readonly listeners: ListenerPlan;
  readonly logger: Logger;
  /** For new data directories; undefined: a random one. */
  readonly clusterId?: string | undefined;
  /** Undefined: the disk. */
  readonly fileSystem?: FileSystem | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** An address that is listened on. */
export interface ListeningEndpoint {
  readonly listener: string;
  /** As configured; empty for all interfaces. */
  readonly host: string;
  readonly port: number;
}

export interface RunningBroker {
  readonly brokerId: number;
  readonly clusterId: string;
  readonly endpoints: readonly ListeningEndpoint[];
  /** Where metrics and health are asked for over HTTP; undefined without `odradek.metrics.listener`. */
  readonly metricsPort: number | undefined;
  /** Finishes requests under way, flushes, writes the clean-shutdown mark and gives everything back. */
  close(options?: CloseOptions): Promise<void>;
}

/** What all parts are made with. */
interface Base {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly descriptors: DescriptorBudget;
  readonly stops: Stops;
  readonly observation: Observation;
}

/** Resolves when the broker serves; rejects with `StartFailure` for what the operator can mend. */
export async function runBroker(options: RunBrokerOptions): Promise<RunningBroker> {
  const { logger, clock = systemClock, random = systemRandom } = options;
  // Its own, since settings made at run time change it in place.
  const { config } = options.config.withRuntime({ broker: new Map(), cluster: new Map() });
  const descriptors = descriptorBudget(nodeFiles().descriptorLimit());
  const observation = await Observation.open({ config, clock, logger });
  const stops = new Stops();
  stops.add(() => observation.close());
  const base: Base = { config, logger, clock, random, descriptors, stops, observation };
  try {
    const { storage, stored } = await openStorage(base, options);
    const cluster = await openCluster(base, { plan: options.listeners, storage, stored });
    const bound = await openDoors(base, options.listeners, { ...cluster, storage });
    let closed: Promise<void> | undefined;
    return {
      brokerId: storage.directories.brokerId,
      clusterId: storage.directories.clusterId,
      endpoints: bound.map(({ name, host, port }) => ({ listener: name, host, port })),
      metricsPort: observation.metricsPort,
      close: (closeOptions) => {
        closed ??= base.stops.run(closeOptions);
        return closed;
      },
    };
  } catch (error) {
    await base.stops.run();
    if (error instanceof FileSystemError) throw new StartFailure(`The data cannot be used: ${error.message}`);
    throw error;
  }
}

/** The storage, and the topics as the control store has them: undefined at the first start, and not to be kept. */
interface OpenedStorage {
  readonly storage: Storage;
  readonly stored: LoadedTopics | undefined;
}

interface Storage {
  readonly fileSystem: FileSystem;
  readonly directories: DataDirectories;
  readonly store: EmbeddedControlStore;
  readonly logConfigs: LogConfigs;
  readonly logManager: LogManager;
  /** What another broker left in the directories, at the first start on them. */
  readonly adopted: AdoptedMetadata | undefined;
}

/** Owns the data directories and recovers what is in them. */
async function openStorage(base: Base, options: RunBrokerOptions): Promise<OpenedStorage> {
  const { config, clock, random, logger, stops } = base;
  const fileSystem = options.fileSystem ?? nodeFiles().nodeFileSystem;
  const claimed = await claimDataDirectories({
    fileSystem,
    paths: dataDirs(config),
    random,
    brokerId: configuredBrokerId(config),
    clusterId: options.clusterId,
    storedClusterId: (directory) => storedClusterId({ storage: fileSystem, path: metadataPath(directory), logger }),
    locking: options.fileSystem ? undefined : diskLocking(),
  });
  if (!claimed.ok) throw new StartFailure(claimed.error);
  const directories = claimed.value;
  stops.add(() => directories.release());

  const path = metadataPath(directories.paths[0]!);
  const opened = await EmbeddedControlStore.open({ storage: fileSystem, path, logger });
  if (!opened.ok) throw new StartFailure(opened.error);
  const store = opened.value;
  stops.add(() => store.close());

  await loadRuntimeConfig(store, { config, brokerId: directories.brokerId, logger });
  // Undefined where the store is new: then all that is found becomes part of it.
  const stored = (await getIfPresent(store, CONTROLLER_EPOCH_PATH)) ? await loadTopics(store) : undefined;
  const where = { fileSystem, paths: directories.paths, brokerId: directories.brokerId };
  const adopted = stored ? undefined : adoptedMetadata({ ...where, config, random, logger });
  const known = stored?.topics ?? adopted?.topics ?? [];
  const logConfigs = new LogConfigs(config, new Map(known.map(({ name, configs }) => [name, configs])));
  const logManager = await LogManager.open({
    fileSystem,
    logDirs: directories.paths,
    maxOpenFiles: base.descriptors.openFiles,
    topicConfig: (topic) => logConfigs.of(topic),
    clock,
    random,
    logger,
    retentionCheckIntervalMs: config.get('log.retention.check.interval.ms'),
    flushSchedulerIntervalMs: config.get('log.flush.scheduler.interval.ms'),
    recoveryPointCheckpointIntervalMs: config.get('log.flush.offset.checkpoint.interval.ms'),
    logStartOffsetCheckpointIntervalMs: config.get('log.flush.start.offset.checkpoint.interval.ms'),
    highWatermarkCheckpointIntervalMs: config.get('replica.high.watermark.checkpoint.interval.ms'),
    producerIdExpirationMs: () => config.get('producer.id.expiration.ms'),
    producerIdExpirationCheckIntervalMs: config.get('producer.id.expiration.check.interval.ms'),
    cleaner: config.get('log.cleaner.enable') ? () => cleanerSettings(config) : undefined,
    isCordoned: (path) => cordonedDirs(config, directories.all).includes(path),
  });
  stops.add(({ onProgress }) => logManager.close({ clean: true, onProgress: everySecond(clock, onProgress) }));
  if (stored) await setStrayLogsAside(stored, logManager);
  noteFailedDirectories(directories, { known, logManager, logger });
  return { storage: { fileSystem, directories, store, logConfigs, logManager, adopted }, stored };
}

function everySecond(clock: Clock, run: CloseOptions['onProgress']): (closed: number, total: number) => void {
  let lastMs = clock.monotonicMs();
  return (closed, total) => {
    if (clock.monotonicMs() - lastMs < PROGRESS_INTERVAL_MS) return;
    lastMs = clock.monotonicMs();
    run?.(closed, total);
  };
}

/** Loaded late, when the command line is known to be right. */
function nodeFiles(): typeof import('./log/node-file-system') {
  return require('./log/node-file-system') as typeof import('./log/node-file-system');
}

type Cluster = Pick<
  BrokerServices,
  'brokerId' | 'metadata' | 'controller' | 'replicaManager' | 'groups' | 'producerIds' | 'describeLogDirs'
> &
  QuotaParts;

/** Leads every partition and loads the coordinators. */
async function openCluster(
  base: Base,
  { plan, storage, stored }: OpenedStorage & { readonly plan: ListenerPlan },
): Promise<Cluster> {
  const { config, clock, random, logger, stops } = base;
  const { brokerId, clusterId } = storage.directories;
  const metadata = new ImagePublisher(MetadataImage.empty(clusterId));
  const moves = logDirMoves(base, storage);
  stops.add(() => moves.close());
  const replicaManager = new ReplicaManager({ brokerId, clock, logger, moves, ...storage });
  stops.add(() => replicaManager.expireWaits());

  const partitions = new CoordinatorPartitions(replicaManager);
  const retainsOffsets = () => !config.isSet('offsets.retention.minutes') && isAdopted(metadata.image);
  const groups = new GroupCoordinator({
    config,
    writer: partitions,
    reader: partitions,
    partitionCount: () =>
      metadata.image.topic(GROUP_METADATA_TOPIC)?.partitions.length ?? config.get('offsets.topic.num.partitions'),
    retainsOffsets,
    clock,
    random,
    logger,
  });
  stops.add(() => groups.close());
  replicaManager.addListener(groups);

  metadata.subscribe(followRuntimeConfig({ config, brokerId, logger }));
  metadata.subscribe(storage.logConfigs.onImage);
  metadata.subscribe(replicaManager.onImage);
  metadata.subscribe(({ deletedTopics }) => groups.onTopicsDeleted(deletedTopics));
  const limits = openQuotas(base, plan, metadata);
  const controller = await Controller.start(
    {
      store: storage.store,
      publisher: metadata,
      config,
      broker: registration(brokerId, config, plan),
      imported: storage.adopted,
      leaderServes: (partition) => replicaManager.partitionOffsets(partition).ok,
      clock,
      random,
      logger,
    },
    stored,
  );
  replicaManager.addListener(failureListener(controller, logger));
  if (retainsOffsets()) {
    logger.warn('adopted committed offsets are kept until a retention is set', {
      setting: 'offsets.retention.minutes',
    });
  }
  await groups.loaded();
  return {
    brokerId,
    metadata,
    ...limits,
    controller,
    replicaManager,
    groups,
    producerIds: new ProducerIdManager(storage.store, brokerId),
    describeLogDirs: () => {
      const { fileSystem, directories, logManager } = storage;
      return describeLogDirs(directories.all, {
        fileSystem,
        logManager,
        failed: directories.failed.map(({ path }) => path),
      });
    },
  };
}

function logDirMoves({ config, clock, logger }: Base, { fileSystem, directories, logManager }: Storage): LogDirMoves {
  return new LogDirMoves({
    logManager,
    clock,
    logger,
    maxBytesPerSecond: () => moveBytesPerSecond(config),
    isCordoned: (path) => cordonedDirs(config, directories.all).includes(path),
    failed: directories.failed.map(({ path }) => path),
    checkDirectory: (path) => fileSystem.volumeSpace(path),
  });
}

/** Whether the offsets topic comes from another broker: its former defaults are kept with it. */
function isAdopted(image: MetadataImage): boolean {
  const configs = image.topic(GROUP_METADATA_TOPIC)?.configs ?? new Map<string, string>();
  return [...configs.keys()].some((key) => key.startsWith(FORMER_DEFAULT_PREFIX));
}

function registration(id: number, config: BrokerConfig, plan: ListenerPlan): BrokerRegistration {
  return { id, rack: config.get('broker.rack'), endpoints: plan.advertised ?? plan.listeners };
}

/** Tells the controller of replicas whose storage failed. */
function failureListener(controller: Controller, logger: Logger): Parameters<ReplicaManager['addListener']>[0] {
  const nothing = (): void => undefined;
  return {
    onLeader: nothing,
    onFollower: nothing,
    onHighWatermark: nothing,
    onDeleted: nothing,
    onFailed: (partition) => {
      controller.replicaFailed(partition).catch((error: unknown) => {
        logger.error('the controller could not take in a failed replica', { ...partition, error });
      });
    },
  };
}

/** Listens, now that everything answers. */
async function openDoors(
  base: Base,
  plan: ListenerPlan,
  { storage, ...cluster }: Cluster & { readonly storage: Storage },
): Promise<BoundListener[]> {
  const { config, clock, random, logger, stops, observation } = base;
  const endpoints = new ClientEndpoints({ ...cluster, advertised: plan.advertised });
  const clients = openClientTelemetry({ ...base, metadata: cluster.metadata });
  const services: BrokerServices = {
    ...cluster,
    ...clients,
    resolveHost,
    config,
    clock,
    random,
    logger,
    servedApis: handlers.map(({ api }) => api),
    fetchSessions: new FetchSessions({
      maxSessions: config.get('max.incremental.fetch.session.cache.slots'),
      clock,
      random,
    }),
    endpoint: (brokerId, connection) => endpoints.endpoint(brokerId, connection),
  };
  const watch = new BootstrapWatch({
    clock,
    logger,
    endpoint: (connection) => (endpoints.isAutomatic ? endpoints.endpoint(cluster.brokerId, connection) : undefined),
  });
  stops.add(() => watch.close());
  const handler = new Dispatcher({
    handlers,
    services,
    observers: [watch, clients.telemetry, ...observation.observers],
  });
  const limits = serverLimits(config, base.descriptors.connections);
  const busyPollMs = config.get('odradek.busy.poll.us') / 1000;
  const server = new Server({ handler, limits, admission: cluster.admission, busyPollMs, clock, logger });
  stops.add(() => closeDoors(server, cluster, clock));
  const bound: BoundListener[] = [];
  for (const { listener, host, port } of plan.listeners) {
    const one = await server.listen({ name: listener, host, port });
    endpoints.onBound(one);
    bound.push(one);
  }
  observation.onServing({ services, ...storage, server });
  stops.add(() => observation.onStopping());
  return bound;
}

/** Lets requests under way end: long polls at once, group requests that are parked after the quick ones. */
async function closeDoors(server: Server, { replicaManager, groups }: Cluster, clock: Clock): Promise<void> {
  const closed = server.close(STOP_GRACE_MS);
  replicaManager.expireWaits();
  const timer = clock.schedule(QUICK_GRACE_MS, () => groups.close());
  await closed;
  timer.cancel();
}
