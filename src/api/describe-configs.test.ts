/** DescribeConfigs: resources, keys, and what each version tells. */
import { newDescribeConfigsRequest, newDescribeConfigsResource } from '../codec/generated/32-describe-configs';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { describeConfigs } from './describe-configs';

const TOPIC = 2;
const BROKER = 4;
const BROKER_LOGGER = 8;
const CLIENT_METRICS = 16;
const GROUP = 32;

interface Ask {
  readonly v?: number;
  readonly keys?: string[] | null;
  readonly more?: Parameters<typeof newDescribeConfigsRequest>[0];
}

async function ask(resourceType: number, resourceName: string, { v = 4, keys = null, more }: Ask = {}) {
  const broker = await startMetadataBroker({
    settings: { 'log.segment.bytes': '12345678', 'ssl.truststore.password': 'hidden' },
  });
  const configs = new Map([['cleanup.policy', 'compact']]);
  await broker.controller.createTopics([newTopic('t', { configs })], { validateOnly: false });
  const resources = [newDescribeConfigsResource({ resourceType, resourceName, configurationKeys: keys })];
  const request = newDescribeConfigsRequest({ resources, ...more });
  const response = await answerOf(describeConfigs(metadataContext(broker, { apiVersion: v }), request));
  return response.results[0]!;
}

describe('topics', () => {
  it('all keys, some keys, no such key', async () => {
    for (const keys of [null, []]) expect((await ask(TOPIC, 't', { keys })).configs.length).toBeGreaterThan(20);
    const one = await ask(TOPIC, 't', { keys: ['cleanup.policy', 'no.such'] });
    expect(one).toMatchObject({ errorCode: 0, resourceType: TOPIC, resourceName: 't' });
    expect(one.configs).toMatchObject([{ name: 'cleanup.policy', value: 'compact', configSource: 1, synonyms: [] }]);
  });

  it('unknown ones and bad names', async () => {
    expect(await ask(TOPIC, 'x')).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, configs: [] });
    expect(await ask(TOPIC, 'a b')).toMatchObject({ errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION, configs: [] });
  });

  it('with synonyms and documentation where asked for', async () => {
    const more = { includeSynonyms: true, includeDocumentation: true };
    const { configs } = await ask(TOPIC, 't', { keys: ['segment.bytes'], more });
    expect(configs[0]).toMatchObject({ value: '12345678', configSource: 4, documentation: expect.any(String) });
    expect(configs[0]?.synonyms.map(({ name, source }) => [name, source])).toEqual([
      ['log.segment.bytes', 4],
      ['log.segment.bytes', 5],
    ]);
    expect((await ask(TOPIC, 't', { keys: ['segment.bytes'] })).configs[0]?.documentation).toBeNull();
  });

  it('in version 0 only whether a value is the default', async () => {
    const keys = ['cleanup.policy', 'segment.bytes', 'flush.ms'];
    const { configs } = await ask(TOPIC, 't', { v: 0, keys });
    expect(Object.fromEntries(configs.map(({ name, isDefault }) => [name, isDefault]))).toEqual({
      'cleanup.policy': false,
      'segment.bytes': false,
      'flush.ms': true,
    });
    expect((await ask(TOPIC, 't', { v: 1, keys })).configs.some(({ isDefault }) => isDefault)).toBe(false);
  });
});

describe('brokers', () => {
  it('this one, with its secrets hidden', async () => {
    const { configs } = await ask(BROKER, '1');
    const byName = new Map(configs.map((config) => [config.name, config]));
    expect(byName.get('log.segment.bytes')).toMatchObject({ value: '12345678', configSource: 4 });
    expect(byName.get('broker.id')).toMatchObject({ readOnly: true });
    expect(byName.get('ssl.truststore.password')).toMatchObject({ value: null, isSensitive: true });
  });

  it('the defaults of the cluster: what was set at run time, none at first', async () => {
    expect(await ask(BROKER, '')).toMatchObject({ errorCode: 0, configs: [] });
  });

  it('no other', async () => {
    for (const name of ['99', 'abc']) {
      expect(await ask(BROKER, name)).toMatchObject({ errorCode: ErrorCode.INVALID_REQUEST, configs: [] });
    }
  });
});

describe('other resources', () => {
  it('groups and client metrics: all settings of any name', async () => {
    const group = await ask(GROUP, 'g', { keys: ['consumer.session.timeout.ms'], more: { includeSynonyms: true } });
    expect(group.configs).toMatchObject([{ value: '45000', configSource: 5, synonyms: [{ value: '45000' }] }]);
    const metrics = await ask(CLIENT_METRICS, 'm');
    expect(metrics.configs.map(({ name }) => name)).toEqual(['interval.ms', 'match', 'metrics']);
  });

  const table: [string, number, string, ErrorCode][] = [
    ['loggers', BROKER_LOGGER, '1', ErrorCode.NONE],
    ['loggers of no broker', BROKER_LOGGER, '', ErrorCode.INVALID_REQUEST],
    ['loggers of another broker', BROKER_LOGGER, '2', ErrorCode.INVALID_REQUEST],
    ['client metrics without a name', CLIENT_METRICS, '', ErrorCode.INVALID_REQUEST],
    ['groups without a name', GROUP, '', ErrorCode.INVALID_REQUEST],
    ['what does not exist', 1, 'x', ErrorCode.INVALID_REQUEST],
  ];

  it.each(table)('%s', async (_, ...[type, name, code]) => {
    expect(await ask(type, name)).toMatchObject({ errorCode: code, configs: [] });
  });
});

it('describes a broker once, however often it is named', async () => {
  const broker = await startMetadataBroker({});
  const resource = newDescribeConfigsResource({ resourceType: BROKER, resourceName: '1', configurationKeys: null });
  const request = newDescribeConfigsRequest({ resources: [resource, resource] });
  const { results } = await answerOf(describeConfigs(metadataContext(broker, { apiVersion: 4 }), request));
  expect(results[0]!.configs.length).toBeGreaterThan(100);
  expect(results[1]!.configs).toBe(results[0]!.configs);
});
