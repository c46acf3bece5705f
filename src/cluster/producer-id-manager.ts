/** Hands out producer ids from blocks that are stored before their first id is used, so none is ever given twice. */
import type { Result } from '../base/result';
import type { ErrorCode } from '../codec/generated/errors';

export interface ProducerIdManager {
  next(): Promise<Result<number, ErrorCode>>;
}
