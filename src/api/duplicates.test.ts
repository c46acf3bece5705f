/** Names given more than once. */
import { duplicates } from './duplicates';

describe('duplicates', () => {
  it('names each of them once', () => {
    expect([...duplicates(['a', 'b', 'a', 'c', 'a', 'b'])]).toEqual(['a', 'b']);
    expect(duplicates([]).size).toBe(0);
  });
});
