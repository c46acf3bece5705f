/**
 * Decides about topics and partitions, writes decisions to the control store and publishes them.
 * Answers when the decision holds: it is stored, and the leaders serve (or, for deletion, nothing is left).
 */
import type { Result } from '../../base/result';
import type { ErrorCode } from '../../codec/generated/errors';
import type { CreatedTopic, NewPartitions, NewTopic } from './topic-requests';

export interface ValidateOnly {
  readonly validateOnly: boolean;
}

export interface Controller {
  /** One result per topic, in order; topics named twice are the caller's matter. */
  createTopics(topics: readonly NewTopic[], options: ValidateOnly): Promise<Result<CreatedTopic, ErrorCode>[]>;
  /** By name; one result per name, in order. */
  deleteTopics(names: readonly string[]): Promise<Result<void, ErrorCode>[]>;
  createPartitions(requests: readonly NewPartitions[], options: ValidateOnly): Promise<Result<void, ErrorCode>[]>;
  /** Creates what is missing with the broker's defaults (internal topics with their own); existing topics are fine. */
  autoCreateTopics(names: readonly string[]): Promise<Result<void, ErrorCode>[]>;
}
