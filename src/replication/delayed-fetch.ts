/**
 * A fetch that waits for enough bytes, an error, or its time. Looks at numbers only while it waits, and reads once
 * they promise enough. Source of the conditions: Kafka's `DelayedFetch`.
 */
import type { DelayedOperation } from '../base/delayed-operations';
import { partitionKey } from '../base/topic-partition';
import { type FetchPass, type PartitionLookup, readPartitions, releasePass } from './fetch-reader';
import type { FetchPartition, FetchRequest, PartitionFetchResult } from './fetch-request';
import type { Partition } from './partition';

/** What was there when the partition was last read. */
interface Seen {
  readonly wanted: FetchPartition;
  readonly partition: Partition;
  readonly sizeInBytes: number;
  readonly visibleBytes: number;
}

/** Whether the fetch is to be answered now: nothing to wait for, or enough found. */
export function isAnswerable(pass: FetchPass, request: FetchRequest): boolean {
  return (
    pass.isUrgent || request.maxWaitMs <= 0 || request.partitions.length === 0 || pass.sizeInBytes >= request.minBytes
  );
}

export class DelayedFetch implements DelayedOperation {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly #request: FetchRequest;
  readonly #lookup: PartitionLookup;
  readonly #answer: (results: PartitionFetchResult[]) => void;
  #seen: readonly Seen[];

  /** `pass`, the read that was not enough, is let go of. */
  constructor(
    request: FetchRequest,
    pass: FetchPass,
    to: { lookup: PartitionLookup; answer: (results: PartitionFetchResult[]) => void },
  ) {
    this.keys = [...new Set(request.partitions.map(({ topic, partition }) => partitionKey(topic, partition)))];
    this.timeoutMs = request.maxWaitMs;
    this.#request = request;
    this.#lookup = to.lookup;
    this.#answer = to.answer;
    this.#seen = this.#lookAt(pass);
  }

  tryComplete(): boolean {
    if (!this.#isPromising()) return false;
    const pass = readPartitions(this.#request, this.#lookup);
    if (!isAnswerable(pass, this.#request)) {
      this.#seen = this.#lookAt(pass);
      return false;
    }
    this.#answer(pass.results);
    return true;
  }

  onExpire(): void {
    this.#answer(readPartitions(this.#request, this.#lookup).results);
  }

  #lookAt(pass: FetchPass): Seen[] {
    releasePass(pass);
    return this.#request.partitions.flatMap((wanted, i) => {
      const found = this.#lookup(wanted.topic, wanted.partition);
      if (!found.ok) return [];
      const { sizeInBytes } = pass.results[i]!;
      return [{ wanted, partition: found.value, sizeInBytes, visibleBytes: found.value.visibleBytes }];
    });
  }

  /** Whether a read may find enough bytes, or an error. */
  #isPromising(): boolean {
    if (this.#seen.length < this.#request.partitions.length) return true;
    let expectedBytes = 0;
    for (const { wanted, partition, sizeInBytes, visibleBytes } of this.#seen) {
      const found = this.#lookup(wanted.topic, wanted.partition);
      if (!found.ok || found.value !== partition) return true;
      if (partition.checkLeader(wanted.currentLeaderEpoch) !== 0) return true;
      if (wanted.fetchOffset < partition.logStartOffset) return true;
      if (partition.endOf(this.#request.isolation) <= wanted.fetchOffset) continue;
      const grownBytes = partition.visibleBytes - visibleBytes;
      expectedBytes += Math.max(sizeInBytes, Math.min(sizeInBytes + grownBytes, wanted.maxBytes), 1);
    }
    return expectedBytes > 0 && expectedBytes >= this.#request.minBytes;
  }
}
