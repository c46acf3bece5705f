/** DeleteTopics: by name and by id, what is refused, and with which code in which version. */
import { ZERO_UUID } from '../base/random';
import { newDeleteTopicState, newDeleteTopicsRequest } from '../codec/generated/20-delete-topics';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { deleteTopics } from './delete-topics';

const unknownId = 'unknownIdAAAAAAAAAAAAA';

async function withTopics(broker: MetadataBroker, ...names: string[]): Promise<string[]> {
  await broker.controller.createTopics(
    names.map((name) => newTopic(name)),
    { validateOnly: false },
  );
  return names.map((name) => broker.metadata.image.topic(name)!.id);
}

async function remove(broker: MetadataBroker, apiVersion: number, topics: { name?: string; topicId?: string }[]) {
  const request =
    apiVersion < 6 ? { topicNames: topics.map(({ name }) => name!) } : { topics: topics.map(newDeleteTopicState) };
  const context = metadataContext(broker, { apiVersion });
  const { responses } = await answerOf(deleteTopics(context, newDeleteTopicsRequest(request)));
  return responses.map(({ name, topicId, errorCode }) => [name, topicId, errorCode]);
}

describe('deleteTopics', () => {
  it('by name', async () => {
    const broker = await startMetadataBroker();
    for (const v of [0, 3, 6]) {
      const [id] = await withTopics(broker, 'a');
      expect(await remove(broker, v, [{ name: 'a' }, { name: 'none' }])).toEqual([
        ['none', ZERO_UUID, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
        ['a', id, 0],
      ]);
      expect(broker.metadata.image.topicCount).toBe(0);
    }
  });

  it('by id', async () => {
    const broker = await startMetadataBroker();
    const [id] = await withTopics(broker, 'a');
    expect(await remove(broker, 6, [{ topicId: id! }, { topicId: unknownId }])).toEqual([
      [null, unknownId, ErrorCode.UNKNOWN_TOPIC_ID],
      ['a', id, 0],
    ]);
  });

  it('not by both, neither or twice', async () => {
    const broker = await startMetadataBroker();
    const [a, b] = await withTopics(broker, 'a', 'b');
    const topics = [{ name: 'a', topicId: a! }, {}, { name: 'b' }, { topicId: b! }, { topicId: unknownId }];
    const refused = await remove(broker, 6, [...topics, { topicId: unknownId }]);
    expect(refused).toEqual([
      ['a', a, ErrorCode.INVALID_REQUEST],
      [null, ZERO_UUID, ErrorCode.INVALID_REQUEST],
      ['b', b, ErrorCode.INVALID_REQUEST],
      [null, unknownId, ErrorCode.INVALID_REQUEST],
    ]);
    expect(broker.metadata.image.topicCount).toBe(2);
  });

  it('not at all where it is disabled', async () => {
    const broker = await startMetadataBroker({ settings: { 'delete.topic.enable': 'false' } });
    const [id] = await withTopics(broker, 'a');
    expect(await remove(broker, 2, [{ name: 'a' }])).toEqual([['a', ZERO_UUID, ErrorCode.INVALID_REQUEST]]);
    expect(await remove(broker, 3, [{ name: 'a' }])).toEqual([['a', ZERO_UUID, ErrorCode.TOPIC_DELETION_DISABLED]]);
    expect(await remove(broker, 6, [{ topicId: id! }])).toEqual([[null, id, ErrorCode.TOPIC_DELETION_DISABLED]]);
    expect(broker.metadata.image.topicCount).toBe(1);
  });

  it('says why the controller could not', async () => {
    const broker = await startMetadataBroker();
    const [id] = await withTopics(broker, 'a');
    broker.storage.failNextWrite = true;
    expect(await remove(broker, 6, [{ name: 'a' }])).toEqual([['a', id, ErrorCode.KAFKA_STORAGE_ERROR]]);
  });
});
