/** FindCoordinator: first use, several keys, other kinds of keys, and a broker that cannot say. */
import { err } from '../base/result';
import { newFindCoordinatorRequest } from '../codec/generated/10-find-coordinator';
import { ErrorCode } from '../codec/generated/errors';
import { startGroupContexts } from '../testing/group-context';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { RecordingLogger } from '../testing/recording-logger';
import { findCoordinator } from './find-coordinator';

const HERE = { nodeId: 1, host: 'broker1', port: 9092, errorCode: ErrorCode.NONE };
const NOWHERE = { nodeId: -1, host: '', port: -1 };

describe('findCoordinator', () => {
  it('creates the topic on first use, and answers with its leader', async () => {
    const { context, metadataBroker } = await startGroupContexts(3);
    const ask = () => answerOf(findCoordinator(context(0), newFindCoordinatorRequest({ key: 'g' })));
    expect(await ask()).toMatchObject(HERE);
    const topic = metadataBroker.metadata.image.topic('__consumer_offsets');
    expect(topic?.partitions).toHaveLength(3);
    expect(topic?.isInternal).toBe(true);
    expect(topic?.configs.get('cleanup.policy')).toBe('compact');
    expect(await ask()).toMatchObject(HERE);
  });

  it('answers at once when several ask first', async () => {
    const { context } = await startGroupContexts();
    const ask = (key: string) => answerOf(findCoordinator(context(3), newFindCoordinatorRequest({ key })));
    for (const answer of await Promise.all(['a', 'b', 'c'].map(ask))) expect(answer).toMatchObject(HERE);
  });

  it('takes several keys from version 4', async () => {
    const { context } = await startGroupContexts();
    const ask = async (coordinatorKeys: string[]) =>
      (await answerOf(findCoordinator(context(4), newFindCoordinatorRequest({ coordinatorKeys })))).coordinators;
    expect(await ask([])).toEqual([]);
    expect(await ask(['a', 'b'])).toMatchObject([
      { key: 'a', ...HERE, errorMessage: null },
      { key: 'b', ...HERE },
    ]);
  });

  it('refuses transactions for good, with a reason', async () => {
    const { context } = await startGroupContexts();
    const request = newFindCoordinatorRequest({ key: 'tx', keyType: 1 });
    expect(await answerOf(findCoordinator(context(1), request))).toMatchObject({
      ...NOWHERE,
      errorCode: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
      errorMessage: 'Transactions are not supported yet',
    });
    const batch = newFindCoordinatorRequest({ coordinatorKeys: ['tx'], keyType: 1 });
    expect((await answerOf(findCoordinator(context(4), batch))).coordinators).toMatchObject([
      { key: 'tx', ...NOWHERE, errorCode: ErrorCode.CLUSTER_AUTHORIZATION_FAILED },
    ]);
  });

  it.each([2, 9])('key type %i is invalid', async (keyType) => {
    const { context } = await startGroupContexts();
    const request = newFindCoordinatorRequest({ key: 'k', keyType });
    expect(await answerOf(findCoordinator(context(1), request))).toMatchObject({
      errorCode: ErrorCode.INVALID_REQUEST,
    });
  });

  it('is not available while its address is unknown', async () => {
    const { context } = await startGroupContexts();
    const { broker } = context(3);
    const lost = handlerContext({ apiVersion: 3, broker: { ...broker, endpoint: () => undefined } });
    const answer = await answerOf(findCoordinator(lost, newFindCoordinatorRequest({ key: 'g' })));
    expect(answer).toMatchObject({ ...NOWHERE, errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE });
  });

  it('is not available while the topic cannot be made, and says why in the log', async () => {
    const { context, metadataBroker } = await startGroupContexts();
    const { broker } = context(3);
    const refusal = err(ErrorCode.INVALID_REPLICATION_FACTOR, 'too many');
    jest.spyOn(metadataBroker.controller, 'autoCreateTopics').mockResolvedValue([refusal]);
    const logger = new RecordingLogger();
    const refused = handlerContext({ apiVersion: 3, broker: { ...broker, logger } });
    const answer = await answerOf(findCoordinator(refused, newFindCoordinatorRequest({ key: 'g' })));
    expect(answer).toMatchObject({ ...NOWHERE, errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE });
    expect(logger.of('warn')).toMatchObject([{ fields: { message: 'too many' } }]);
  });
});
