/** Failures of the partition become codes that group clients know. */
import { ErrorCode } from '../codec/generated/errors';
import { coordinatorError } from './coordinator-error';

describe('coordinatorError', () => {
  it.each([
    ['NOT_ENOUGH_REPLICAS', 'COORDINATOR_NOT_AVAILABLE'],
    ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'COORDINATOR_NOT_AVAILABLE'],
    ['UNKNOWN_TOPIC_OR_PARTITION', 'COORDINATOR_NOT_AVAILABLE'],
    ['REQUEST_TIMED_OUT', 'COORDINATOR_NOT_AVAILABLE'],
    ['NOT_LEADER_OR_FOLLOWER', 'NOT_COORDINATOR'],
    ['KAFKA_STORAGE_ERROR', 'NOT_COORDINATOR'],
    ['MESSAGE_TOO_LARGE', 'UNKNOWN_SERVER_ERROR'],
    ['CORRUPT_MESSAGE', 'UNKNOWN_SERVER_ERROR'],
  ] as const)('%s → %s', (from, to) => {
    expect(coordinatorError(ErrorCode[from])).toBe(ErrorCode[to]);
  });
});
