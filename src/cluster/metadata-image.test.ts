/** Images: what a change does to them, and that it does nothing to the former one. */
import { MetadataImage, type TopicImage } from './metadata-image';

const topic = (name: string, id: string, leaderEpoch = 0): TopicImage => ({
  name,
  id,
  isInternal: false,
  configs: new Map(),
  partitions: [{ partition: 0, leader: 1, leaderEpoch, partitionEpoch: 0, replicas: [1], isr: [1] }],
});

describe('MetadataImage', () => {
  it('finds topics by name and id, and partitions', () => {
    const { image } = MetadataImage.empty('c').with({ topics: [topic('a', 'A')] });
    expect(image.topic('a')).toBe(image.topicById('A'));
    expect(image.partition('a', 0)?.leader).toBe(1);
    expect([image.partition('a', 1), image.partition('b', 0), image.topic('b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([image.clusterId, image.topicCount, [...image.topics()].length]).toEqual(['c', 1, 1]);
  });

  it('stays as it is when a new one is made of it', () => {
    const before = MetadataImage.empty('c').with({ topics: [topic('a', 'A')], controllerId: 1 }).image;
    const { image, delta } = before.with({ topics: [topic('a', 'A', 1), topic('b', 'B')] });
    expect([before.topicCount, before.partition('a', 0)?.leaderEpoch]).toEqual([1, 0]);
    expect([image.topicCount, image.partition('a', 0)?.leaderEpoch, image.controllerId]).toEqual([2, 1, 1]);
    expect(delta.changedTopics.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(delta.deletedTopics).toEqual([]);
  });

  it('deletes, also what it never held', () => {
    const before = MetadataImage.empty('c').with({ topics: [topic('a', 'A')] }).image;
    const { image, delta } = before.with({ deletedTopics: [topic('a', 'A'), topic('z', 'Z')] });
    expect([image.topicCount, image.topicById('A')]).toEqual([0, undefined]);
    expect(delta.deletedTopics.map(({ name }) => name)).toEqual(['a', 'z']);
  });

  it('takes another id under the same name for a deletion and a creation', () => {
    const before = MetadataImage.empty('c').with({ topics: [topic('a', 'A')] }).image;
    const { image, delta } = before.with({ topics: [topic('a', 'B')] });
    expect([image.topicById('A'), image.topicById('B')?.name]).toEqual([undefined, 'a']);
    expect([delta.deletedTopics.map(({ id }) => id), delta.changedTopics.map(({ id }) => id)]).toEqual([['A'], ['B']]);
  });
});
