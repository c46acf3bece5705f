/**
 * The shards of one internal topic: which of its partitions this broker leads, and which shard an operation goes to.
 * Loads and unloads are keyed by partition and leader epoch, so that news that come late are told from new ones.
 */
import { err, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import type { RequestToken } from './shard';
import { type RuntimeOptions, ShardHost } from './shard-host';

interface Led<Op, Rec> {
  leaderEpoch: number;
  readonly host: ShardHost<Op, Rec>;
}

export class CoordinatorRuntime<Op, Rec> {
  readonly #topic: string;
  readonly #options: RuntimeOptions<Op, Rec>;
  readonly #led = new Map<number, Led<Op, Rec>>();
  #closed = false;

  constructor(topic: string, options: RuntimeOptions<Op, Rec>) {
    this.#topic = topic;
    this.#options = options;
  }

  /** The partitions led here, loaded or loading. */
  partitions(): number[] {
    return [...this.#led.keys()];
  }

  /** This broker leads the partition from `leaderEpoch` on. A leader that stays leader keeps its shard. */
  load(partition: number, leaderEpoch: number): void {
    if (this.#closed) return;
    const led = this.#led.get(partition);
    if (led) {
      led.leaderEpoch = Math.max(led.leaderEpoch, leaderEpoch);
      return;
    }
    const host = new ShardHost(this.#options, { topic: this.#topic, partition });
    this.#led.set(partition, { leaderEpoch, host });
  }

  /** Another broker leads from `leaderEpoch` on; without an epoch, the partition is gone. */
  unload(partition: number, leaderEpoch?: number): void {
    const led = this.#led.get(partition);
    if (!led || (leaderEpoch !== undefined && leaderEpoch <= led.leaderEpoch)) return;
    this.#led.delete(partition);
    led.host.close();
  }

  onHighWatermark(partition: number, offset: number): void {
    this.#led.get(partition)?.host.onHighWatermark(offset);
  }

  /**
   * Has the shard of `partition` handle an operation. The errors are the runtime's own: NOT_COORDINATOR where this
   * broker does not lead (any more), COORDINATOR_LOAD_IN_PROGRESS, and those of a write that failed.
   */
  submit<R>(partition: number, makeOp: (token: RequestToken<R>) => Op): Promise<Result<R, ErrorCode>> {
    const led = this.#led.get(partition);
    return led ? led.host.submit(makeOp) : Promise.resolve(err(ErrorCode.NOT_COORDINATOR));
  }

  /** Resolves when no partition is in its first load. */
  async loaded(): Promise<void> {
    await Promise.all([...this.#led.values()].map(({ host }) => host.loaded));
  }

  close(): void {
    this.#closed = true;
    for (const partition of this.partitions()) this.unload(partition);
  }
}
