/** A partition's name, `topic-partition`, as a directory name and as a map key. */

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** One string per partition; also the name of its directory, as in Kafka. */
export function partitionKey(topic: string, partition: number): string {
  return `${topic}-${partition}`;
}

/** The inverse of `partitionKey`: undefined when `name` is not `topic-number`. */
export function parsePartitionKey(name: string): TopicPartition | undefined {
  const dash = name.lastIndexOf('-');
  if (dash <= 0 || !/^\d+$/.test(name.slice(dash + 1))) return undefined;
  return { topic: name.slice(0, dash), partition: Number(name.slice(dash + 1)) };
}
