/** What the controller is asked for about topics, and what it answers; free of any wire version. */

export interface ReplicaAssignment {
  readonly partition: number;
  readonly brokerIds: readonly number[];
}

export interface NewTopic {
  readonly name: string;
  /** -1: the broker's `num.partitions`, or as many as `assignments` tells. */
  readonly numPartitions: number;
  /** -1: the broker's `default.replication.factor`, or as `assignments` tells. */
  readonly replicationFactor: number;
  /** Empty: the controller places the replicas. */
  readonly assignments: readonly ReplicaAssignment[];
  readonly configs: ReadonlyMap<string, string | null>;
}

export interface CreatedTopic {
  readonly name: string;
  /** ZERO_UUID when the request was only validated. */
  readonly id: string;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  readonly configs: ReadonlyMap<string, string>;
}

export interface NewPartitions {
  readonly name: string;
  /** How many partitions the topic shall have in all. */
  readonly totalCount: number;
  /** Broker ids of each new partition; null: the controller places the replicas. */
  readonly assignments: readonly (readonly number[])[] | null;
}
