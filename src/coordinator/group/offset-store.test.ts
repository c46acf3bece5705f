/** Offsets in and out, and those of transactions before and after their end. */
import { ZERO_UUID } from '../../base/random';
import type { OffsetRecord } from './group-records';
import { OffsetStore } from './offset-store';

function record(place: string, offset: number | null): OffsetRecord {
  const [groupId = '', topic = '', partition] = place.split('/');
  const committed = offset === null ? null : value(offset);
  return { kind: 'offset', groupId, topic, partition: Number(partition), committed };
}

function value(offset: number) {
  const unset = { leaderEpoch: -1, metadata: '', commitTimestampMs: 0, expireTimestampMs: -1, topicId: ZERO_UUID };
  return { offset, ...unset };
}

const at = (offset: number, producerId = -1) => ({ offset, producerId });

describe('OffsetStore', () => {
  it('keeps the last offset of each partition', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 1), at(0));
    store.apply(record('g/t/0', 2), at(1));
    store.apply(record('g/u/3', 5), at(2));
    store.apply(record('h/t/0', 9), at(3));
    expect(store.get('g', 't', 0)?.offset).toBe(2);
    expect([...store.topics('g')]).toEqual(['t', 'u']);
    expect([...store.partitions('g', 'u')]).toEqual([[3, value(5)]]);
    expect([...store.partitions('g', 'x')]).toEqual([]);
    expect([...store.groupIds()]).toEqual(['g', 'h']);
  });

  it('has nothing of a group whose last offset is gone', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 1), at(0));
    store.apply(record('g/t/1', 1), at(1));
    store.apply(record('g/t/0', null), at(2));
    expect(store.hasGroup('g')).toBe(true);
    store.apply(record('g/t/1', null), at(3));
    store.apply(record('g/t/1', null), at(4));
    expect(store.hasGroup('g')).toBe(false);
    expect([...store.topics('g')]).toEqual([]);
  });

  it('shows an offset of a transaction when that commits', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 1), at(0));
    store.apply(record('g/t/0', 2), at(1, 7));
    expect(store.get('g', 't', 0)?.offset).toBe(1);
    expect(store.isUnstable('g', 't', 0)).toBe(true);
    expect(store.isUnstable('g', 't', 1)).toBe(false);
    store.applyEndMarker(7, true);
    expect(store.get('g', 't', 0)?.offset).toBe(2);
    expect(store.isUnstable('g', 't', 0)).toBe(false);
  });

  it('forgets it when that aborts', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 2), at(1, 7));
    expect([...store.unstablePartitions('g')].map(({ partition }) => partition)).toEqual([0]);
    expect([...store.unstablePartitions('h')]).toEqual([]);
    store.applyEndMarker(7, false);
    store.applyEndMarker(7, true);
    expect(store.hasGroup('g')).toBe(false);
    expect([...store.unstablePartitions('g')]).toEqual([]);
  });

  it('lets the later record count, whichever is committed last', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 2), at(1, 7));
    store.apply(record('g/t/0', 3), at(2));
    store.applyEndMarker(7, true);
    expect(store.get('g', 't', 0)?.offset).toBe(3);
  });

  it('drops pending offsets with a tombstone', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 2), at(1, 7));
    store.apply(record('g/t/1', 2), at(2, 7));
    store.apply(record('g/t/0', null), at(3));
    store.applyEndMarker(7, true);
    expect([store.get('g', 't', 0), store.get('g', 't', 1)?.offset]).toEqual([undefined, 2]);
  });

  it('does not mistake one name for another', () => {
    const store = new OffsetStore();
    store.apply(record('g/t/0', 2), at(1, 7));
    expect(store.isUnstable('gt', '', 0)).toBe(false);
  });
});
