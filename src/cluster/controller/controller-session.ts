/**
 * The controller's hold on the control store: lays the permanent nodes, registers the broker, takes the controller's
 * office and fences every write by the epoch of that office.
 * Invariant: a write of a controller that is no longer in office fails with `bad-version`.
 */
import type { Result } from '../../base/result';
import type { ControlOperation, ControlStore, ControlStoreError } from '../control-store';
import type { BrokerRegistration } from '../metadata-image';
import { getIfPresent, required } from '../topic-loader';
import {
  brokerPath,
  CLUSTER_ID_PATH,
  CONTROLLER_EPOCH_PATH,
  CONTROLLER_PATH,
  decodeClusterId,
  encodeBroker,
  encodeClusterId,
  encodeController,
  PERSISTENT_PATHS,
} from '../znodes';

export interface SessionOptions {
  readonly store: ControlStore;
  readonly clusterId: string;
  readonly broker: BrokerRegistration;
  readonly nowMs: number;
  /** What a new store begins with; made in the same step as the store's permanent nodes, or not at all. */
  readonly initialNodes: readonly ControlOperation[];
}

/** The epoch of the first controller that a cluster has. */
export const FIRST_CONTROLLER_EPOCH = 1;

/** What is missing of the nodes that every cluster has. */
async function layPermanentNodes(store: ControlStore, clusterId: string): Promise<ControlOperation[]> {
  const operations: ControlOperation[] = [];
  for (const path of PERSISTENT_PATHS) {
    if (!(await getIfPresent(store, path))) operations.push({ kind: 'create', path, data: '' });
  }
  const node = await getIfPresent(store, CLUSTER_ID_PATH);
  if (!node) {
    operations.push({ kind: 'create', path: CLUSTER_ID_PATH, data: encodeClusterId(clusterId) });
  } else if (decodeClusterId(node.data) !== clusterId) {
    throw new Error(
      `the control store belongs to cluster ${decodeClusterId(node.data)}, the data directory to cluster ${clusterId}`,
    );
  }
  return operations;
}

export class ControllerSession {
  private constructor(
    readonly store: ControlStore,
    /** Rises with every controller that takes office. */
    readonly epoch: number,
    readonly epochVersion: number,
  ) {}

  /** Rejects when the store cannot be used or belongs to another cluster. */
  static async open({ store, clusterId, broker, nowMs, initialNodes }: SessionOptions): Promise<ControllerSession> {
    const operations = await layPermanentNodes(store, clusterId);
    const former = await getIfPresent(store, CONTROLLER_EPOCH_PATH);
    const epoch = former ? Number(former.data) + 1 : FIRST_CONTROLLER_EPOCH;
    if (!former) for (const node of initialNodes) operations.push(node);
    operations.push(
      { kind: 'create', path: brokerPath(broker.id), data: encodeBroker(broker, nowMs), ephemeral: true },
      { kind: 'create', path: CONTROLLER_PATH, data: encodeController(broker.id, nowMs), ephemeral: true },
      former
        ? { kind: 'set', path: CONTROLLER_EPOCH_PATH, data: String(epoch), expectedVersion: former.version }
        : { kind: 'create', path: CONTROLLER_EPOCH_PATH, data: String(epoch) },
    );
    required(await store.multi(operations));
    return new ControllerSession(store, epoch, former ? former.version + 1 : 0);
  }

  /** All or nothing, durable when it resolves, refused when the office is lost. */
  commit(operations: readonly ControlOperation[]): Promise<Result<void, ControlStoreError>> {
    const fence: ControlOperation = { kind: 'check', path: CONTROLLER_EPOCH_PATH, expectedVersion: this.epochVersion };
    return this.store.multi([fence, ...operations]);
  }
}
