/** What becomes of one item of a request: its value, or Kafka's code and sentence for a refusal. */
import { err, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import type { ControlStoreError } from '../control-store';
import type { ChangeQuota } from './change-quota';

export type ItemResult<T> = Result<T, ErrorCode>;

export const EXCESSIVE_GROWTH: ItemResult<never> = err(
  ErrorCode.POLICY_VIOLATION,
  'Excessively large number of additional partitions per request.',
);

export const OVER_QUOTA: ItemResult<never> = err(ErrorCode.THROTTLING_QUOTA_EXCEEDED);

export function isOverQuota(quota: ChangeQuota | undefined, partitions: number): boolean {
  return quota !== undefined && !quota.admits(partitions);
}

/** What a client hears when the store refused its change. */
export function storeFailure(failure: ControlStoreError, message: string | undefined): ItemResult<never> {
  switch (failure) {
    case 'bad-version':
      return err(ErrorCode.NOT_CONTROLLER);
    case 'node-exists':
      return err(ErrorCode.TOPIC_ALREADY_EXISTS);
    case 'no-node':
      return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    case 'not-empty':
    case 'unavailable':
      return err(ErrorCode.KAFKA_STORAGE_ERROR, message ?? 'The metadata could not be written');
  }
}
