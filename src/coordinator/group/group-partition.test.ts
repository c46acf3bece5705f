/** Kafka's absolute value of Java's string hash, also where that is negative. Values made by Kafka's own class. */
import { groupPartition } from './group-partition';

describe('groupPartition', () => {
  it.each([
    ['', 0],
    ['g', 103],
    ['console-consumer-12345', 158_455_506],
    ['kgroup', 1_133_018_892],
    ['jgroup', 1_161_648_043],
    ['polygenelubricants', 0],
    ['a group with a long name, so that it wraps around', 1_296_031_322],
    ['グループ', 383_750_870],
  ])('%s', (groupId, hash) => {
    expect(groupPartition(groupId, 2 ** 31)).toBe(hash);
    expect(groupPartition(groupId, 50)).toBe(hash % 50);
  });
});
