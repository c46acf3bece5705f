/** Compressed batches from kafkajs: gzip of its own, snappy by a codec package; mixed in one log. */

import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { compress, uncompress } from 'snappy';
import { messages, useBroker, valuesOf } from './fixture';

const fixture = useBroker();

beforeAll(() => {
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: (encoder: { buffer: Buffer }) => compress(encoder.buffer),
    decompress: (buffer: Buffer) => uncompress(buffer),
  });
});

it.each([
  ['gzip', CompressionTypes.GZIP],
  ['snappy', CompressionTypes.Snappy],
])('%s goes in and comes out', async (_, compression) => {
  const topic = await fixture.topic();
  const producer = await fixture.producer();
  await producer.send({ topic, compression, messages: messages(1000) });
  await producer.send({ topic, compression, messages: [{ key: 'k', value: null, headers: { h: 'v' } }] });
  const got = await fixture.read(topic, 1001);
  expect(valuesOf(got.slice(0, 1000))).toEqual(valuesOf(messages(1000)));
  expect(got[1000]).toMatchObject({ key: 'k', value: null, offset: '1000' });
});

it('all kinds lie side by side in one log', async () => {
  const topic = await fixture.topic();
  const producer = await fixture.producer({ idempotent: true, maxInFlightRequests: 1 });
  const kinds = [CompressionTypes.None, CompressionTypes.GZIP, CompressionTypes.Snappy];
  for (let round = 0; round < 9; round++) {
    await producer.send({ topic, acks: -1, compression: kinds[round % 3] ?? 0, messages: messages(20, `${round}-`) });
  }
  const got = await fixture.read(topic, 180);
  expect(valuesOf(got)).toEqual(Array.from({ length: 9 }, (_, round) => valuesOf(messages(20, `${round}-`))).flat());
});

it('refuses a batch that claims a compression and is none', async () => {
  const topic = await fixture.topic();
  const broken = () => ({
    compress: async () => Buffer.from('neither snappy nor anything'),
    decompress: async (b: Buffer) => b,
  });
  const { [CompressionTypes.Snappy]: sound } = CompressionCodecs;
  CompressionCodecs[CompressionTypes.Snappy] = broken;
  const producer = await fixture.producer({ retry: { retries: 0 } });
  try {
    await expect(
      producer.send({ topic, compression: CompressionTypes.Snappy, messages: messages(1) }),
    ).rejects.toThrow();
  } finally {
    CompressionCodecs[CompressionTypes.Snappy] = sound;
  }
  await fixture.send(topic, messages(1));
  expect(valuesOf(await fixture.read(topic, 1))).toEqual(['value-0']);
});
