/**
 * The meters of those who used something lately, by name. Owns how many there are: clients choose their names, so the
 * one that was not used for the longest time goes when there are too many, and each after an hour without use, as in
 * Kafka.
 */
const MOST_METERS = 10_000;
const IDLE_MS = 3_600_000;

interface Entry<M> {
  readonly meter: M;
  usedAtMs: number;
}

export class MeterTable<M> {
  /** In the order of last use, the oldest first. */
  readonly #entries = new Map<string, Entry<M>>();
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
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      this.#makeRoom(nowMs);
      entry = { meter: this.#make(), usedAtMs: nowMs };
    } else {
      this.#entries.delete(name);
      entry.usedAtMs = nowMs;
    }
    this.#entries.set(name, entry);
    return entry.meter;
  }

  #makeRoom(nowMs: number): void {
    for (const [name, { usedAtMs }] of this.#entries) {
      if (this.#entries.size < this.#most && nowMs - usedAtMs < IDLE_MS) return;
      this.#entries.delete(name);
    }
  }
}
