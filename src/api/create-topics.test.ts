/** CreateTopics: from the request to the controller and back. */
import { ZERO_UUID } from '../base/random';
import {
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../codec/generated/19-create-topics';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { createTopics } from './create-topics';

const topic = (name: string, configs: Record<string, string> = {}) =>
  newCreatableTopic({
    name,
    numPartitions: 2,
    replicationFactor: -1,
    configs: Object.entries(configs).map(([key, value]) => newCreatableTopicConfig({ name: key, value })),
  });

async function create(broker: MetadataBroker, topics: ReturnType<typeof topic>[], validateOnly = false) {
  const context = metadataContext(broker, { apiVersion: 7 });
  const response = await answerOf(createTopics(context, newCreateTopicsRequest({ topics, validateOnly })));
  return response.topics;
}

describe('createTopics', () => {
  it('tells partitions, replicas, id and all configs with their source', async () => {
    const broker = await startMetadataBroker({ settings: { 'log.segment.bytes': '12345678' } });
    const [created] = await create(broker, [topic('a', { 'retention.ms': '77' })]);
    expect(created).toMatchObject({
      name: 'a',
      errorCode: 0,
      errorMessage: null,
      numPartitions: 2,
      replicationFactor: 1,
      topicConfigErrorCode: 0,
      topicId: broker.metadata.image.topic('a')?.id,
    });
    const source = new Map(created?.configs?.map((config) => [config.name, [config.value, config.configSource]]));
    expect(source.get('retention.ms')).toEqual(['77', 1]);
    expect(source.get('segment.bytes')).toEqual(['12345678', 4]);
    expect(source.get('flush.ms')?.[1]).toBe(5);
  });

  it('answers each topic by itself, and what occurs twice once', async () => {
    const broker = await startMetadataBroker();
    const results = await create(broker, [topic('a'), topic('b'), topic('a'), topic('c', { foo: '1' })]);
    expect(results.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['b', 0],
      ['c', ErrorCode.INVALID_CONFIG],
      ['a', ErrorCode.INVALID_REQUEST],
    ]);
    expect(results[1]).toMatchObject({ numPartitions: -1, replicationFactor: -1, configs: [], topicId: ZERO_UUID });
    expect(results[1]?.errorMessage).toContain('foo');
    expect(broker.metadata.image.topic('a')).toBeUndefined();
  });

  it('only validates where asked', async () => {
    const broker = await startMetadataBroker();
    const [result] = await create(broker, [topic('a')], true);
    expect(result).toMatchObject({ errorCode: 0, topicId: ZERO_UUID, numPartitions: 2 });
    expect(broker.metadata.image.topicCount).toBe(0);
  });
});
