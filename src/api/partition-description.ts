/**
 * Brokers and partitions as clients of one listener are told about them; shared by the APIs that describe topics.
 * Source: Kafka's `KRaftMetadataCache`.
 */
import { type MetadataImage, NO_LEADER, type PartitionImage } from '../cluster/metadata-image';
import type { Endpoint } from './broker-services';
import type { RequestContext } from './request-context';

export interface DescribedBroker extends Endpoint {
  readonly id: number;
  readonly rack: string | null;
}

/** The live brokers that have an endpoint of the client's listener, by id. */
export function reachableBrokers({ broker, connection }: RequestContext): ReadonlyMap<number, DescribedBroker> {
  const reachable = new Map<number, DescribedBroker>();
  for (const { id, rack } of broker.metadata.image.brokers.values()) {
    const endpoint = broker.endpoint(id, connection);
    if (endpoint) reachable.set(id, { id, rack, ...endpoint });
  }
  return reachable;
}

/** The controller where clients can reach it, else -1: admin clients loop on an id that is not listed. */
export function reachableController(image: MetadataImage, reachable: ReadonlyMap<number, DescribedBroker>): number {
  return reachable.has(image.controllerId) ? image.controllerId : -1;
}

/** One for all: what is answered is only written out. */
const NONE: number[] = [];

/**
 * Replicas that cannot serve: their broker is not reachable, or, where nobody leads, they are in sync and reachable
 * and would lead if their disk worked.
 */
export function offlineReplicas(partition: PartitionImage, reachable: ReadonlyMap<number, DescribedBroker>): number[] {
  const mayLead = partition.leader !== NO_LEADER;
  if (mayLead && partition.replicas.every((id) => reachable.has(id))) return NONE;
  return partition.replicas.filter((id) => !reachable.has(id) || (!mayLead && partition.isr.includes(id)));
}
