/** Large answers are made once for each image, and never outlive it. */

import type { ConnectionInfo } from '../base/transport';
import { MetadataImage } from '../cluster/metadata-image';
import { newMetadataRequest, newMetadataRequestTopic } from '../codec/generated/03-metadata';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { growthOfOldBytes } from '../testing/old-generation';
import { metadata } from './metadata';
import { sharedAnswer, sharedBody } from './shared-answers';

async function brokerWith(numPartitions: number, ...names: string[]): Promise<MetadataBroker> {
  const broker = await startMetadataBroker();
  const topics = names.map((name) => newTopic(name, { numPartitions }));
  await broker.controller.createTopics(topics, { validateOnly: false });
  return broker;
}

interface Ask {
  readonly names?: readonly string[];
  readonly connection?: Partial<ConnectionInfo>;
  readonly apiVersion?: number;
}

function ask(broker: MetadataBroker, { names, connection, apiVersion = 12 }: Ask = {}) {
  const context = metadataContext(broker, { apiVersion });
  const topics = names?.map((name) => newMetadataRequestTopic({ name })) ?? null;
  const from = { ...context, connection: { ...context.connection, ...connection } };
  return answerOf(metadata(from, newMetadataRequest({ topics, allowAutoTopicCreation: false })));
}

const counts = (answer: Awaited<ReturnType<typeof ask>>) =>
  Object.fromEntries(answer.topics.map(({ name, partitions }) => [name, partitions.length]));

describe('metadata of many partitions', () => {
  it('is made once for all who ask the same, of all topics and by name', async () => {
    const broker = await brokerWith(120, 'a', 'b');
    const all = await ask(broker);
    expect(counts(all)).toEqual({ a: 120, b: 120 });
    expect(await ask(broker)).toBe(all);
    const named = await ask(broker, { names: ['b', 'a'] });
    expect(Object.keys(counts(named))).toEqual(['b', 'a']);
    expect(await ask(broker, { names: ['b', 'a'] })).toBe(named);
    expect(counts(await ask(broker, { names: ['a'] }))).toEqual({ a: 120 });
  });

  it('follows every change of the metadata', async () => {
    const broker = await brokerWith(120, 'a', 'b');
    const before = await ask(broker);
    await broker.controller.createTopics([newTopic('c', { numPartitions: 130 })], { validateOnly: false });
    expect(counts(await ask(broker))).toEqual({ a: 120, b: 120, c: 130 });
    expect(counts(before)).toEqual({ a: 120, b: 120 });
    await broker.controller.deleteTopics(['b']);
    expect(counts(await ask(broker))).toEqual({ a: 120, c: 130 });
    await ask(broker, { names: ['a'] });
    const [deleted] = (await ask(broker, { names: ['b'] })).topics;
    expect([deleted?.errorCode, deleted?.partitions]).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []]);
  });

  it('tells each client its own listener, address, port and version', async () => {
    const broker = await brokerWith(120, 'a');
    const kinds = [{}, { listenerName: 'OTHER' }, { localAddress: '10.0.0.7' }, { localPort: 1234 }];
    const answers = await Promise.all(kinds.map((kind) => ask(broker, { connection: kind })));
    answers.push(await ask(broker, { apiVersion: 0 }), await ask(broker, { apiVersion: 1 }));
    expect(new Set(answers).size).toBe(6);
  });
});

describe('kept answers', () => {
  const image = () => MetadataImage.empty('cluster');
  const made = (name: string, partitions = 10_000) => ({ answer: { name }, partitions });

  it('are bounded: the least recently used are forgotten, and small or huge ones never kept', () => {
    const one = image();
    const make = (name: string, partitions?: number) => sharedAnswer(one, name, () => made(name, partitions));
    const first = ['a', 'b', 'c', 'd'].map((name) => make(name));
    expect(make('a')).toBe(first[0]);
    make('e');
    expect([make('a'), make('c'), make('d')]).toEqual([first[0], first[2], first[3]].map((each) => ({ ...each })));
    expect(make('a')).toBe(first[0]);
    expect(make('b')).not.toBe(first[1]);
    for (const partitions of [99, 40_001])
      expect(make(`x${partitions}`, partitions)).not.toBe(make(`x${partitions}`, partitions));
    expect(sharedAnswer(image(), 'a', () => made('a'))).not.toBe(first[0]);
  });

  it('are encoded once, others each time', () => {
    const kept = sharedAnswer(image(), 'a', () => made('a'));
    let encoded = 0;
    const encode = (writer: { int32(value: number): void }): void => writer.int32(++encoded);
    const body = sharedBody(kept, encode);
    expect(body).toEqual(Buffer.from([0, 0, 0, 1]));
    expect(sharedBody(kept, encode)).toBe(body);
    for (const other of [{ ...kept }, undefined, null, Symbol('no answer')]) {
      expect(sharedBody(other, encode)).toBeUndefined();
    }
    expect(encoded).toBe(1);
  });
});

it('leaves nothing behind where kept answers are asked for again and again', () => {
  const image = MetadataImage.empty('x');
  let count = 0;
  const growthBytes = growthOfOldBytes(() => {
    new Array(100).fill(0);
    const answer = sharedAnswer(image, `k${count++ % 5}`, () => ({ answer: { count }, partitions: 1000 }));
    if (answer.count > 5) throw new Error('made again');
  }, 100_000);
  expect(growthBytes).toBeLessThan(1e6);
});
