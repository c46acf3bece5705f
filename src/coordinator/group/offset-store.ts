/**
 * The committed offsets of one shard, and those that transactions have written but not ended. Hard state: changed only
 * by the shard's `apply` and `applyEndMarker`. Source of the rules: Kafka's `OffsetMetadataManager.replay`.
 * Invariant: no empty map is kept, so a group or topic is present exactly when it has an offset.
 */
import { partitionKey } from '../../base/topic-partition';
import type { RecordPosition } from '../shard';
import type { CommittedOffset, OffsetRecord } from './group-records';

/** An offset with the place of its record: of two commits the later record counts, whenever it became visible. */
interface PlacedOffset {
  readonly committed: CommittedOffset;
  readonly recordOffset: number;
}

type PartitionOffsets = Map<number, PlacedOffset>;
type TopicOffsets = Map<string, PartitionOffsets>;

interface PendingOffset {
  readonly record: OffsetRecord;
  readonly placed: PlacedOffset;
}

const NO_OFFSETS: ReadonlyMap<string, PartitionOffsets> = new Map();

function pendingKey(groupId: string, topic: string, partition: number): string {
  return `${groupId.length}:${groupId}${partitionKey(topic, partition)}`;
}

export class OffsetStore {
  readonly #byGroup = new Map<string, TopicOffsets>();
  /** Producer id → offsets that its open transaction has written, by `pendingKey`. */
  readonly #pending = new Map<number, Map<string, PendingOffset>>();

  groupIds(): Iterable<string> {
    return this.#byGroup.keys();
  }

  hasGroup(groupId: string): boolean {
    return this.#byGroup.has(groupId);
  }

  get(groupId: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#byGroup.get(groupId)?.get(topic)?.get(partition)?.committed;
  }

  topics(groupId: string): Iterable<string> {
    return (this.#byGroup.get(groupId) ?? NO_OFFSETS).keys();
  }

  /** The partitions of a topic that have an offset, with it. */
  *partitions(groupId: string, topic: string): Iterable<readonly [partition: number, committed: CommittedOffset]> {
    const partitions = this.#byGroup.get(groupId)?.get(topic);
    if (!partitions) return;
    for (const [partition, { committed }] of partitions) yield [partition, committed];
  }

  /** Whether an open transaction is about to change the offset. */
  isUnstable(groupId: string, topic: string, partition: number): boolean {
    const key = pendingKey(groupId, topic, partition);
    for (const offsets of this.#pending.values()) if (offsets.has(key)) return true;
    return false;
  }

  /** The partitions of a group that open transactions are about to change. */
  *unstablePartitions(groupId: string): Iterable<{ topic: string; partition: number }> {
    for (const offsets of this.#pending.values()) {
      for (const { record } of offsets.values()) if (record.groupId === groupId) yield record;
    }
  }

  apply(record: OffsetRecord, at: RecordPosition): void {
    const { groupId, topic, partition, committed } = record;
    if (committed === null) {
      this.#delete(groupId, topic, partition);
      this.#dropPending(pendingKey(groupId, topic, partition));
      return;
    }
    const placed = { committed, recordOffset: at.offset };
    if (at.producerId === -1) {
      this.#put(record, placed);
      return;
    }
    const pending = this.#pending.get(at.producerId) ?? new Map<string, PendingOffset>();
    pending.set(pendingKey(groupId, topic, partition), { record, placed });
    this.#pending.set(at.producerId, pending);
  }

  applyEndMarker(producerId: number, commit: boolean): void {
    const pending = this.#pending.get(producerId);
    this.#pending.delete(producerId);
    if (!commit || !pending) return;
    for (const { record, placed } of pending.values()) {
      const existing = this.#byGroup.get(record.groupId)?.get(record.topic)?.get(record.partition);
      if (!existing || existing.recordOffset < placed.recordOffset) this.#put(record, placed);
    }
  }

  #put({ groupId, topic, partition }: OffsetRecord, placed: PlacedOffset): void {
    const topics = this.#byGroup.get(groupId) ?? new Map<string, PartitionOffsets>();
    const partitions = topics.get(topic) ?? new Map<number, PlacedOffset>();
    partitions.set(partition, placed);
    topics.set(topic, partitions);
    this.#byGroup.set(groupId, topics);
  }

  #delete(groupId: string, topic: string, partition: number): void {
    const topics = this.#byGroup.get(groupId);
    const partitions = topics?.get(topic);
    if (!topics || !partitions) return;
    partitions.delete(partition);
    if (partitions.size === 0) topics.delete(topic);
    if (topics.size === 0) this.#byGroup.delete(groupId);
  }

  #dropPending(key: string): void {
    for (const [producerId, offsets] of this.#pending) {
      offsets.delete(key);
      if (offsets.size === 0) this.#pending.delete(producerId);
    }
  }
}
