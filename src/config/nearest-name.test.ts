/** The known name that a mistyped one was meant to be. */
import { nearestName } from './nearest-name';

const NAMES = ['log.dirs', 'log.dir', 'log.retention.ms', 'num.partitions'];

describe('nearestName', () => {
  it.each([
    ['log.dris', 'log.dirs'],
    ['log.retention.msec', 'log.retention.ms'],
    ['Num.Partition', 'num.partitions'],
    ['numpartitions', 'num.partitions'],
    ['xyz', undefined],
    ['', undefined],
  ])('%s → %s', (name, nearest) => {
    expect(nearestName(name, NAMES)).toBe(nearest);
  });
});
