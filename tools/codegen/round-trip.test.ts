/** Every message in every version: what is encoded comes back, and encodes to the same bytes again. */
import fc from 'fast-check';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { messageArbitrary } from './message-arbitrary';
import { type AnyMessage, type MessageCodec, messageCodecs } from './message-codecs';

const RUNS = 12;

function encode(codec: MessageCodec, message: AnyMessage, version: number): Buffer {
  const writer = new Writer(16);
  codec.encode(writer, message, version);
  return writer.finishBuffer();
}

for (const codec of messageCodecs()) {
  it(codec.name, () => {
    for (let version = codec.message.versions.low; version <= codec.message.versions.high; version++) {
      fc.assert(
        fc.property(messageArbitrary(codec, version), (message) => {
          const bytes = encode(codec, message, version);
          const reader = new Reader(bytes);
          const decoded = codec.decode(reader, version);
          expect(reader.remaining).toBe(0);
          expect(decoded).toEqual(message);
          expect(encode(codec, decoded, version).equals(bytes)).toBe(true);
        }),
        { numRuns: RUNS, seed: version },
      );
      const defaults = codec.create();
      expect(encode(codec, defaults, version)).toBeDefined();
    }
  });
}
