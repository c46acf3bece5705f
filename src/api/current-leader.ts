/**
 * What an answer says about the leader that the client should have asked (KIP-951), so that it need not fetch metadata
 * first: id and epoch with the partition, its address once for the whole answer.
 */
import { NO_LEADER } from '../cluster/metadata-image';
import type { RequestContext } from './request-context';

export interface LeaderHint {
  readonly leaderId: number;
  readonly leaderEpoch: number;
}

export interface LeaderEndpoint {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

/** Collects the leaders that one answer tells of. */
export class CurrentLeaders {
  readonly #context: RequestContext;
  readonly #endpoints = new Map<number, LeaderEndpoint>();

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The leader of a partition as far as it is known, -1/-1 otherwise. */
  hint(topic: string, partition: number): LeaderHint {
    const { metadata } = this.#context.broker;
    const image = metadata.image.partition(topic, partition);
    if (image === undefined) return { leaderId: NO_LEADER, leaderEpoch: -1 };
    this.#addEndpoint(image.leader);
    return { leaderId: image.leader, leaderEpoch: image.leaderEpoch };
  }

  get endpoints(): LeaderEndpoint[] {
    return [...this.#endpoints.values()];
  }

  #addEndpoint(nodeId: number): void {
    const { broker, connection } = this.#context;
    const endpoint = broker.endpoint(nodeId, connection);
    if (endpoint === undefined) return;
    const rack = broker.metadata.image.brokers.get(nodeId)?.rack ?? null;
    this.#endpoints.set(nodeId, { nodeId, host: endpoint.host, port: endpoint.port, rack });
  }
}
