/** A group coordinator over partitions in memory, on a manual clock, as broker.ts would wire it. */
import { systemRandom } from '../base/random';
import { BrokerConfig } from '../config/broker-config';
import { GroupCoordinator } from '../coordinator/group/group-coordinator';
import { ManualClock } from './manual-clock';
import { MemoryPartition } from './memory-partition';
import { RecordingLogger } from './recording-logger';

const TOPIC = '__consumer_offsets';

export class GroupBroker {
  readonly clock = new ManualClock();
  readonly logger = new RecordingLogger();
  readonly groups: GroupCoordinator;
  readonly partitions: readonly MemoryPartition[];

  private constructor(partitions: readonly MemoryPartition[], config: BrokerConfig) {
    this.partitions = partitions;
    this.groups = new GroupCoordinator({
      config,
      writer: { append: (at, batch) => partitions[at.partition]!.append(at, batch) },
      reader: {
        bounds: (at) => partitions[at.partition]!.bounds(),
        read: (at, offset, maxBytes) => partitions[at.partition]!.read(at, offset, maxBytes),
      },
      partitionCount: () => partitions.length,
      retainsOffsets: () => false,
      clock: this.clock,
      random: systemRandom,
      logger: this.logger,
    });
    for (const [partition, log] of partitions.entries()) {
      log.onHighWatermark = (offset) => this.groups.onHighWatermark({ topic: TOPIC, partition }, offset);
      this.groups.onLeader({ topic: TOPIC, partition }, 0);
    }
  }

  /** Loaded, with empty partitions. */
  static async start(partitionCount = 1, config: BrokerConfig = BrokerConfig.of()): Promise<GroupBroker> {
    const partitions = Array.from({ length: partitionCount }, () => new MemoryPartition());
    const broker = new GroupBroker(partitions, config);
    await broker.groups.loaded();
    return broker;
  }

  /** Another one over the same partitions, still loading, as after a restart. */
  static over(partitions: readonly MemoryPartition[]): GroupBroker {
    return new GroupBroker(partitions, BrokerConfig.of());
  }
}
