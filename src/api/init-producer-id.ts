/**
 * InitProducerId (key 22), versions 0 to 5: an id for an idempotent producer (KIP-98). Each request without a
 * transactional id gets a new one with epoch 0, also one that names a former id (KIP-360: such producers raise their
 * epoch themselves). A transactional id is refused at once with an error that no client tries again, since there are no
 * transactions yet.
 */
import {
  type InitProducerIdRequest,
  type InitProducerIdResponse,
  newInitProducerIdResponse,
} from '../codec/generated/22-init-producer-id';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler, RequestContext } from './request-context';

const NONE = -1;

export const initProducerId: Handler<InitProducerIdRequest, InitProducerIdResponse> = async (context, request) => {
  if (request.transactionalId === '') return refused(ErrorCode.INVALID_REQUEST);
  if ((request.producerId === NONE) !== (request.producerEpoch === NONE)) return refused(ErrorCode.INVALID_REQUEST);
  if (request.transactionalId !== null) return refuseTransactions(context, request.transactionalId);
  const id = await context.broker.producerIds.next();
  return id.ok ? newInitProducerIdResponse({ producerId: id.value, producerEpoch: 0 }) : refused(id.error);
};

/** The answer has no place for a message, so that it goes to the log. */
function refuseTransactions({ broker, clientId }: RequestContext, transactionalId: string): InitProducerIdResponse {
  broker.logger.warn('transactions are not supported yet; a producer that wants them is refused', {
    clientId,
    transactionalId,
  });
  return refused(ErrorCode.UNSUPPORTED_VERSION);
}

function refused(errorCode: ErrorCode): InitProducerIdResponse {
  return newInitProducerIdResponse({ errorCode, producerId: NONE, producerEpoch: NONE });
}
