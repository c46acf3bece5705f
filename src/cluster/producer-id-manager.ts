/**
 * Hands out producer ids. Ids come in blocks that are stored before their first id is used, so none is ever given
 * twice, whatever happens; what is left of a block is lost at a restart. Source: Kafka's `ZkProducerIdManager`.
 */
import { err, ok, type Result } from '../base/result';
import { SerialQueue } from '../base/serial-queue';
import { ErrorCode } from '../codec/generated/errors';
import type { ControlOperation, ControlStore } from './control-store';
import { decodeProducerIdBlock, encodeProducerIdBlock, PRODUCER_ID_BLOCK_PATH } from './znodes';

const BLOCK_SIZE = 1000;

export class ProducerIdManager {
  readonly #queue = new SerialQueue();
  readonly #store: ControlStore;
  readonly #brokerId: number;
  #next = 0;
  /** The first id that is no longer ours. */
  #end = 0;

  constructor(store: ControlStore, brokerId: number) {
    this.#store = store;
    this.#brokerId = brokerId;
  }

  /** An id that nobody had before; COORDINATOR_NOT_AVAILABLE (the client tries again) when a block cannot be stored. */
  next(): Promise<Result<number, ErrorCode>> {
    return this.#queue.run(async () => {
      if (this.#next === this.#end) {
        const reserved = await this.#reserveBlock();
        if (!reserved.ok) return reserved;
      }
      return ok(this.#next++);
    });
  }

  async #reserveBlock(): Promise<Result<void, ErrorCode>> {
    const former = await this.#store.get(PRODUCER_ID_BLOCK_PATH);
    if (!former.ok && former.error !== 'no-node') return err(ErrorCode.COORDINATOR_NOT_AVAILABLE, former.message);
    const first = former.ok ? decodeProducerIdBlock(former.value.data).last + 1 : 0;
    const last = first + BLOCK_SIZE - 1;
    const data = encodeProducerIdBlock({ brokerId: this.#brokerId, first, last });
    const operation: ControlOperation = former.ok
      ? { kind: 'set', path: PRODUCER_ID_BLOCK_PATH, data, expectedVersion: former.value.version }
      : { kind: 'create', path: PRODUCER_ID_BLOCK_PATH, data };
    const stored = await this.#store.multi([operation]);
    if (!stored.ok) return err(ErrorCode.COORDINATOR_NOT_AVAILABLE, stored.message);
    this.#next = first;
    this.#end = last + 1;
    return ok(undefined);
  }
}
