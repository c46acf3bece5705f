/** The ring of newest batches against the batches. */
import { RecentBatches } from './recent-batches';

describe('RecentBatches', () => {
  function filled(count: number): RecentBatches {
    const recent = new RecentBatches();
    // Batches of 10 bytes and 3 offsets.
    for (let i = 0; i < count; i++) recent.add(i * 10, i * 3 + 2);
    return recent;
  }

  it.each([5, 32, 33, 100])('agrees with the batches, or says nothing (%d added)', (count) => {
    const recent = filled(count);
    let answers = 0;
    for (let offset = 0; offset < count * 3 + 5; offset++) {
      const position = recent.positionOf(offset);
      if (position < 0) continue;
      answers++;
      expect(position).toBe(Math.floor(offset / 3) * 10);
    }
    expect(answers).toBe((Math.min(32, count) - 1) * 3);
    for (let position = 0; position < count * 10 + 5; position++) {
      const floor = recent.floorByPosition(position);
      if (floor >= 0) expect(floor).toBe(Math.min(Math.floor(position / 10), count - 1) * 10);
    }
    expect(recent.floorByPosition(count * 10)).toBe((count - 1) * 10);
  });

  it('says nothing when it is empty', () => {
    const recent = filled(10);
    recent.clear();
    expect([recent.positionOf(5), recent.floorByPosition(50)]).toEqual([-1, -1]);
  });
});
