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
  const hash = javaStringHash(groupId);
  // The absolute value, not the hash without its sign bit as for keys of records; the least integer has none and is 0.
  return hash === -0x80000000 ? 0 : Math.abs(hash) % partitionCount;
}
