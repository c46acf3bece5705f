/** Topics that share what they have in common are the topics they were. */
import type { TopicImage } from './metadata-image';
import { withSharedParts } from './shared-parts';

function topic(name: string, configs: [string, string][] = []): TopicImage {
  const partition = { partition: 0, leader: 1, leaderEpoch: 3, partitionEpoch: 5, replicas: [1, 2], isr: [1] };
  return { name, id: `id-of-${name}`, isInternal: false, partitions: [partition], configs: new Map(configs) };
}

it('keeps every field, and lists and absent settings once for all', () => {
  const [a, b] = [withSharedParts(topic('a')), withSharedParts(topic('b'))];
  expect([a, b]).toEqual([topic('a'), topic('b')]);
  expect(a.partitions[0]!.replicas).toBe(b.partitions[0]!.replicas);
  expect(a.partitions[0]!.isr).toBe(b.partitions[0]!.isr);
  expect(a.configs).toBe(b.configs);
});

it('keeps settings, the same ones once', () => {
  const [a, b] = [
    withSharedParts(topic('a', [['retention.ms', '5']])),
    withSharedParts(topic('b', [['retention.ms', '5']])),
  ];
  const c = withSharedParts(topic('c', [['retention.ms', '6']]));
  expect([a, c]).toEqual([topic('a', [['retention.ms', '5']]), topic('c', [['retention.ms', '6']])]);
  expect(a.configs).toBe(b.configs);
});
