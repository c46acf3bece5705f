/** When a broker is ready, and what it says when it is not. */
import type { LogDirDescription } from '../log/log-dir-description';
import { whatIsMissing } from './readiness';

const directory = (path: string, hasFailed = false): LogDirDescription => ({
  path,
  hasFailed,
  partitions: [],
  space: undefined,
});

it('is ready when it serves and everything can be used', () => {
  expect(whatIsMissing('serving', { logDirs: [directory('/a')], offlinePartitions: 0 })).toEqual([]);
});

it('says what is missing', () => {
  const logDirs = [directory('/a', true), directory('/b')];
  expect(whatIsMissing('serving', { logDirs, offlinePartitions: 2 })).toEqual([
    'the log directory /a cannot be used',
    'the logs of 2 partitions cannot be used',
  ]);
});

it('is not ready before and after it serves', () => {
  const facts = { logDirs: [], offlinePartitions: 0 };
  expect(whatIsMissing('starting', undefined)).toEqual(['the broker is starting']);
  expect(whatIsMissing('stopping', facts)).toEqual(['the broker is stopping']);
});
