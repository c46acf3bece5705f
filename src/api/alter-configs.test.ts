/** AlterConfigs: all settings of a resource at once. */
import {
  newAlterableConfig,
  newAlterConfigsRequest,
  newAlterConfigsResource,
} from '../codec/generated/33-alter-configs';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { alterConfigs } from './alter-configs';

const TOPIC = 2;
const BROKER_LOGGER = 8;

async function start() {
  const broker = await startMetadataBroker();
  const configs = new Map([['retention.ms', '5']]);
  await broker.controller.createTopics([newTopic('t', { configs })], { validateOnly: false });
  const alter = async (resourceType: number, resourceName: string, settings: Record<string, string | null>) => {
    const all = Object.entries(settings).map(([name, value]) => newAlterableConfig({ name, value }));
    const resources = [newAlterConfigsResource({ resourceType, resourceName, configs: all })];
    const request = newAlterConfigsRequest({ resources });
    return (await answerOf(alterConfigs(metadataContext(broker, { apiVersion: 2 }), request))).responses[0]!;
  };
  return { alter, configs: () => Object.fromEntries(broker.metadata.image.topic('t')!.configs) };
}

it('drops what is not named', async () => {
  const { alter, configs } = await start();
  expect(await alter(TOPIC, 't', { 'flush.ms': '7' })).toMatchObject({ errorCode: 0, errorMessage: null });
  expect(configs()).toEqual({ 'flush.ms': '7' });
  await alter(TOPIC, 't', {});
  expect(configs()).toEqual({});
});

it('keeps everything where it fails, and knows no loggers', async () => {
  const { alter, configs } = await start();
  expect(await alter(TOPIC, 't', { 'flush.ms': 'x' })).toMatchObject({ errorCode: ErrorCode.INVALID_CONFIG });
  expect(await alter(TOPIC, 't', { 'flush.ms': null })).toMatchObject({ errorCode: ErrorCode.INVALID_REQUEST });
  expect(await alter(BROKER_LOGGER, '1', { root: 'INFO' })).toMatchObject({
    errorCode: ErrorCode.INVALID_REQUEST,
    errorMessage: 'Unknown resource type 8',
  });
  expect(configs()).toEqual({ 'retention.ms': '5' });
});
