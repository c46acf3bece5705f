/**
 * What group clients are told when the partition behind their coordinator fails: only codes that they know how to
 * handle.
 */
import { ErrorCode } from '../codec/generated/errors';

/** Source: Kafka's `CoordinatorOperationExceptionHelper`. */
export function coordinatorError(errorCode: ErrorCode): ErrorCode {
  switch (errorCode) {
    case ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
    case ErrorCode.NOT_ENOUGH_REPLICAS:
    case ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case ErrorCode.REQUEST_TIMED_OUT:
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    case ErrorCode.NOT_LEADER_OR_FOLLOWER:
    case ErrorCode.KAFKA_STORAGE_ERROR:
      return ErrorCode.NOT_COORDINATOR;
    default:
      return ErrorCode.UNKNOWN_SERVER_ERROR;
  }
}
