/** Java's string hash, also where it is negative. Values made by Java. */
import { groupPartition } from './group-partition';

describe('groupPartition', () => {
  it.each([
    ['', 0],
    ['g', 103],
    ['console-consumer-12345', 158_455_506],
    ['polygenelubricants', 0],
    ['a group with a long name, so that it wraps around', 1_296_031_322],
    ['グループ', 383_750_870],
  ])('%s', (groupId, hash) => {
    expect(groupPartition(groupId, 2 ** 31)).toBe(hash);
    expect(groupPartition(groupId, 50)).toBe(hash % 50);
  });
});
