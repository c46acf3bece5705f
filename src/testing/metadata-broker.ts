/** The metadata half of a broker for tests: a real controller over a journal in memory, without logs and sockets. */

import type { BrokerServices } from '../api/broker-services';
import { silentLogger } from '../base/logger';
import { systemRandom } from '../base/random';
import { partitionKey } from '../base/topic-partition';
import { Controller, type ControllerOptions } from '../cluster/controller/controller';
import type { NewTopic } from '../cluster/controller/topic-requests';
import { EmbeddedControlStore } from '../cluster/embedded-control-store';
import { ImagePublisher, type ImageSubscriber } from '../cluster/image-publisher';
import { type BrokerRegistration, MetadataImage } from '../cluster/metadata-image';
import { followRuntimeConfig } from '../cluster/runtime-config';
import { BrokerConfig, type ConfigKey } from '../config/broker-config';
import { CrashStorage } from './crash-storage';
import { ManualClock } from './manual-clock';

export const TEST_CLUSTER_ID = 'testClusterIdAAAAAAAAA';

export interface MetadataBrokerOptions {
  readonly settings?: Partial<Record<ConfigKey, string>>;
  readonly storage?: CrashStorage;
  readonly imported?: ControllerOptions['imported'];
  /** Partition keys whose leaders do not serve from the start. */
  readonly broken?: readonly string[];
  /** Who takes in images before clients see them. */
  readonly subscribers?: readonly ImageSubscriber[];
}

export interface MetadataBroker extends Pick<BrokerServices, 'metadata' | 'controller' | 'config' | 'endpoint'> {
  readonly brokerId: number;
  readonly storage: CrashStorage;
  readonly store: EmbeddedControlStore;
  /** Partition keys whose leaders shall not serve. */
  readonly broken: Set<string>;
}

/** Broker 1, whose only endpoint is broker1:9092 on PLAINTEXT. */
export const testBroker: BrokerRegistration = {
  id: 1,
  rack: 'r1',
  endpoints: [{ listener: 'PLAINTEXT', host: 'broker1', port: 9092, securityProtocol: 'PLAINTEXT' }],
};

export async function openTestStore(storage: CrashStorage): Promise<EmbeddedControlStore> {
  const opened = await EmbeddedControlStore.open({ storage, path: '/data/meta', logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

export async function startMetadataBroker(o: MetadataBrokerOptions = {}): Promise<MetadataBroker> {
  const storage = o.storage ?? new CrashStorage();
  const store = await openTestStore(storage);
  const metadata = new ImagePublisher(MetadataImage.empty(TEST_CLUSTER_ID));
  const config = BrokerConfig.of(o.settings ?? {});
  const broken = new Set(o.broken);
  metadata.subscribe(followRuntimeConfig({ config, brokerId: testBroker.id, logger: silentLogger }));
  for (const subscriber of o.subscribers ?? []) metadata.subscribe(subscriber);
  const controller = await Controller.start({
    store,
    publisher: metadata,
    config,
    broker: testBroker,
    leaderServes: ({ topic, partition }) => !broken.has(partitionKey(topic, partition)),
    clock: new ManualClock(),
    random: systemRandom,
    logger: silentLogger,
    ...(o.imported && { imported: o.imported }),
  });
  return {
    brokerId: testBroker.id,
    metadata,
    controller,
    config,
    storage,
    store,
    broken,
    endpoint: (id, { listenerName }) =>
      metadata.image.brokers.get(id)?.endpoints.find(({ listener }) => listener === listenerName),
  };
}

/** A request for a topic; the broker's defaults where nothing is said. */
export function newTopic(name: string, o: Partial<NewTopic> = {}): NewTopic {
  return { name, numPartitions: -1, replicationFactor: -1, assignments: [], configs: new Map(), ...o };
}
