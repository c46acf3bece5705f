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
  /** What a read would find, as it was when the partition was last looked at. */
  expectedBytes: number;
}

/** Instead of a number of bytes: the reader must hear of something at once. */
const URGENT = -1;

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
  /** Of all that were seen. */
  #expectedBytes = 0;

  /** `pass`, the read that was not enough, is let go of. */
  constructor(
    request: FetchRequest,
    pass: FetchPass,
    to: { lookup: PartitionLookup; answer: (results: PartitionFetchResult[]) => void },
  ) {
    this.timeoutMs = request.maxWaitMs;
    this.#request = request;
    this.#lookup = to.lookup;
    this.#answer = to.answer;
    this.#seen = this.#lookAt(pass);
    this.keys = keysOf(request, this.#seen);
  }

  tryComplete(changed?: string): boolean {
    if (!this.#isPromising(changed)) return false;
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
    const all: Seen[] = [];
    this.#expectedBytes = 0;
    for (const [i, wanted] of this.#request.partitions.entries()) {
      const found = this.#lookup(wanted.topic, wanted.partition);
      if (!found.ok) continue;
      const { visibleBytes } = found.value;
      const { sizeInBytes } = pass.results[i]!;
      const seen: Seen = { wanted, partition: found.value, sizeInBytes, visibleBytes, expectedBytes: 0 };
      seen.expectedBytes = Math.max(0, this.#expectedOf(seen));
      this.#expectedBytes += seen.expectedBytes;
      all.push(seen);
    }
    return all;
  }

  /** Whether a read may find enough bytes, or an error. Looks at the partition with the key `changed` alone, if any. */
  #isPromising(changed: string | undefined): boolean {
    if (this.#seen.length < this.#request.partitions.length) return true;
    for (const seen of this.#seen) {
      if (changed !== undefined && seen.partition.key !== changed) continue;
      const expectedBytes = this.#expectedOf(seen);
      if (expectedBytes === URGENT) return true;
      this.#expectedBytes += expectedBytes - seen.expectedBytes;
      seen.expectedBytes = expectedBytes;
    }
    return this.#expectedBytes > 0 && this.#expectedBytes >= this.#request.minBytes;
  }

  #expectedOf({ wanted, partition, sizeInBytes, visibleBytes }: Seen): number {
    const found = this.#lookup(wanted.topic, wanted.partition);
    if (!found.ok || found.value !== partition) return URGENT;
    if (partition.checkLeader(wanted.currentLeaderEpoch) !== 0) return URGENT;
    if (wanted.fetchOffset < partition.logStartOffset) return URGENT;
    if (partition.endOf(this.#request.isolation) <= wanted.fetchOffset) return 0;
    const grownBytes = partition.visibleBytes - visibleBytes;
    return Math.max(sizeInBytes, Math.min(sizeInBytes + grownBytes, wanted.maxBytes), 1);
  }
}

/** One text for each partition: the partition's own where there is one. */
function keysOf({ partitions }: FetchRequest, seen: readonly Seen[]): string[] {
  if (seen.length === partitions.length) return seen.map(({ partition }) => partition.key);
  return partitions.map(({ topic, partition }) => partitionKey(topic, partition));
}
