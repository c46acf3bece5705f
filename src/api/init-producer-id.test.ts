/** InitProducerId: ids that differ, requests that are refused. */
import { type InitProducerIdRequest, newInitProducerIdRequest } from '../codec/generated/22-init-producer-id';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { RecordingLogger } from '../testing/recording-logger';
import { initProducerId } from './init-producer-id';

const api = apis.InitProducerId;

const idempotent = (given: Partial<InitProducerIdRequest> = {}): InitProducerIdRequest =>
  newInitProducerIdRequest({ transactionalId: null, ...given });

describe('InitProducerId', () => {
  it.each([0, 1, 2, 3, 4, 5])('hands out an id per request, version %d', async (version) => {
    const broker = await startDataBroker();
    const ids = new Set<number>();
    const requests = [{}, {}, ...(version >= 3 ? [{ producerId: 0, producerEpoch: 4 }] : [])];
    for (const given of requests) {
      const response = await answerOf(initProducerId(broker.context(version), idempotent(given)));
      api.encodeResponse(new Writer(), response, version);
      expect([response.errorCode, response.producerEpoch]).toEqual([0, 0]);
      ids.add(response.producerId);
    }
    expect(ids.size).toBe(requests.length);
  });

  it('refuses transactional ids, and says why in the log', async () => {
    const broker = await startDataBroker();
    const logger = new RecordingLogger();
    const context = handlerContext({ apiVersion: 4, broker: { ...broker.context(4).broker, logger } });
    const response = await answerOf(initProducerId(context, newInitProducerIdRequest({ transactionalId: 'tx' })));
    expect(response).toMatchObject({ errorCode: ErrorCode.UNSUPPORTED_VERSION, producerId: -1, producerEpoch: -1 });
    expect(logger.of('warn')).toMatchObject([{ fields: { transactionalId: 'tx' } }]);
  });

  it.each([{ transactionalId: '' }, { producerId: 5 }, { producerEpoch: 5 }])('refuses %j', async (given) => {
    const broker = await startDataBroker();
    const response = await answerOf(initProducerId(broker.context(4), idempotent(given)));
    expect(response).toMatchObject({ errorCode: ErrorCode.INVALID_REQUEST, producerId: -1 });
  });

  it('passes on that no id can be had', async () => {
    const broker = await startDataBroker();
    const producerIds = { next: async () => ({ ok: false, error: ErrorCode.COORDINATOR_NOT_AVAILABLE }) };
    const services = { ...broker.context(4).broker, producerIds: producerIds as never };
    const context = handlerContext({ apiVersion: 4, broker: services });
    expect(await answerOf(initProducerId(context, idempotent()))).toMatchObject({
      errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE,
      producerId: -1,
    });
  });
});
