/**
 * The meters of those who used something lately, by name. Owns how many there are: clients choose their names, so the
 * one that was not used for the longest time goes when there are too many, and each after an hour without use, as in
 * Kafka.
 */
import { LinkedMap } from '../base/linked-map';

const MOST_METERS = 10_000;
const IDLE_MS = 3_600_000;

interface Entry<M> {
  readonly meter: M;
  usedAtMs: number;
}

export class MeterTable<M> {
  /** In the order of last use, the oldest first. */
  readonly #entries = new LinkedMap<string, Entry<M>>();
  readonly #make: () => M;
  readonly #most: number;

  constructor(make: () => M, most = MOST_METERS) {
    this.#make = make;
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The meter of `name`, a new one where there is none. */
  get(name: string, nowMs: number): M {
    const known = this.#entries.renew(name);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      return known.meter;
    }
    this.#makeRoom(nowMs);
    const meter = this.#make();
    this.#entries.set(name, { meter, usedAtMs: nowMs });
    return meter;
  }

  #makeRoom(nowMs: number): void {
    for (const { key, value } of this.#entries) {
      if (this.#entries.size < this.#most && nowMs - value.usedAtMs < IDLE_MS) return;
      this.#entries.delete(key);
    }
  }
}
