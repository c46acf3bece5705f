/** Refusals as clients hear of them. */
import { ErrorCode } from '../../codec/generated/errors';
import { isOverQuota, storeFailure } from './item-result';

it('tells why the store refused, with its message where it is about storage', () => {
  expect(storeFailure('bad-version', 'x')).toEqual({ ok: false, error: ErrorCode.NOT_CONTROLLER });
  expect(storeFailure('node-exists', undefined)).toMatchObject({ error: ErrorCode.TOPIC_ALREADY_EXISTS });
  expect(storeFailure('no-node', undefined)).toMatchObject({ error: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
  expect(storeFailure('unavailable', 'disk full')).toMatchObject({
    error: ErrorCode.KAFKA_STORAGE_ERROR,
    message: 'disk full',
  });
});

it('asks the quota, where there is one', () => {
  expect(isOverQuota(undefined, 1e9)).toBe(false);
  expect(isOverQuota({ admits: (partitions) => partitions < 3 }, 2)).toBe(false);
  expect(isOverQuota({ admits: (partitions) => partitions < 3 }, 3)).toBe(true);
});
