/** Names that topics may have. */
import { collisionKey, isInternalTopic, topicNameProblem } from './topic-name';

describe('topicNameProblem', () => {
  it.each(['a', 'A.b_c-9', '...', '-', 'x'.repeat(249)])('accepts %p', (name) => {
    expect(topicNameProblem(name)).toBeUndefined();
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'a\n', 'ä', 'x'.repeat(250)])('refuses %p', (name) => {
    expect(topicNameProblem(name)).toMatch(/^Topic name is invalid/);
  });
});

describe('collisionKey', () => {
  it('is equal for names that differ in . and _ only', () => {
    expect(collisionKey('a.b_c')).toBe(collisionKey('a_b.c'));
  });

  it('is absent for names that have neither', () => {
    expect(collisionKey('a-b')).toBeUndefined();
  });
});

describe('isInternalTopic', () => {
  it('knows the topics of the broker', () => {
    expect(['__consumer_offsets', '__transaction_state', '__share_group_state', 'x'].map(isInternalTopic)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
