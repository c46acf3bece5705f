/**
 * Chooses brokers for the replicas of new partitions: leaders in turn over the brokers, followers behind them with a
 * shift that grows each round, so that a lost broker's load spreads. Pure. Source: Kafka's `AdminUtils`, without racks.
 */
import { assert } from '../base/assert';
import type { Random } from '../base/random';

export interface PlacementRequest {
  /** Live brokers, in any order. */
  readonly brokerIds: readonly number[];
  readonly partitionCount: number;
  /** Between 1 and the number of brokers. */
  readonly replicationFactor: number;
  /** Number of the first partition to be placed: more than 0 when a topic grows. */
  readonly firstPartition: number;
}

/** The replicas of each new partition, the preferred leader first. */
export function placeReplicas(request: PlacementRequest, random: Random): number[][] {
  const brokerIds = [...request.brokerIds].sort((a, b) => a - b);
  const count = brokerIds.length;
  assert(request.replicationFactor >= 1 && request.replicationFactor <= count, 'replication factor within brokers');
  const start = random.integer(count);
  let shift = random.integer(count);
  const placed: number[][] = [];
  for (let i = 0; i < request.partitionCount; i++) {
    const partition = request.firstPartition + i;
    if (partition > 0 && partition % count === 0) shift++;
    const first = (partition + start) % count;
    const replicas = [brokerIds[first]!];
    for (let follower = 0; follower < request.replicationFactor - 1; follower++) {
      const step = 1 + ((shift + follower) % (count - 1));
      replicas.push(brokerIds[(first + step) % count]!);
    }
    placed.push(replicas);
  }
  return placed;
}
