/**
 * Which partition of `__consumer_offsets` keeps a group: the same as in Kafka, so that data directories can be
 * shared.
 */

/** Java's `String.hashCode`: over UTF-16 units, in 32 bits. */
function javaStringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

export function groupPartition(groupId: string, partitionCount: number): number {
  // Kafka takes the sign bit off rather than the absolute value.
  return (javaStringHash(groupId) & 0x7fffffff) % partitionCount;
}
