/** Partition keys are Kafka's directory names, and can be read back whatever the topic is called. */
import fc from 'fast-check';
import { parsePartitionKey, partitionKey } from './topic-partition';

it('reads back what it wrote', () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9._-]{1,20}$/);
  fc.assert(
    fc.property(name, fc.nat(100_000), (topic, partition) => {
      expect(parsePartitionKey(partitionKey(topic, partition))).toEqual({ topic, partition });
    }),
  );
});

it.each(['', 'topic', '-1', 'topic-', 'topic-x', 'topic-1.5', 'topic-1-delete'])('refuses %p', (name) => {
  expect(parsePartitionKey(name)).toBeUndefined();
});
