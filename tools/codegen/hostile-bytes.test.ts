/**
 * Bytes that nobody meant well: every decoder, fed with truncated, changed and random bytes, either decodes or throws
 * `MalformedMessage`; it never throws anything else, never reads on for long, never reads past the end.
 */
import fc from 'fast-check';
import { MalformedMessage } from '../../src/codec/malformed';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { messageArbitrary } from './message-arbitrary';
import { type AnyMessage, type MessageCodec, messageCodecs } from './message-codecs';

const LONGEST_DECODE_MS = 500;
/** Bytes that mean much at the start of a length: nothing, null, the largest numbers, varints without end. */
const TELLING_BYTES = [0x00, 0x01, 0x7f, 0x80, 0xff];

function encoded(codec: MessageCodec, version: number, seed: number): Buffer {
  const shape = { minElements: 1, maxElements: 2, nulls: false };
  const [message] = fc.sample(messageArbitrary(codec, version, shape), { numRuns: 1, seed });
  const writer = new Writer();
  codec.encode(writer, message as AnyMessage, version);
  return writer.finishBuffer();
}

/** Decodes; true where it was refused. */
function refused(codec: MessageCodec, bytes: Buffer, version: number): boolean {
  const reader = new Reader(bytes);
  try {
    codec.decode(reader, version);
    if (reader.position > bytes.length) throw new Error('read past the end');
    return false;
  } catch (failure) {
    if (!(failure instanceof MalformedMessage)) throw failure;
    return true;
  }
}

function someVersions(codec: MessageCodec): number[] {
  const { low, high } = codec.message.versions;
  const flexible = codec.message.firstFlexible;
  const versions = [low, flexible - 1, flexible, high];
  return [...new Set(versions)].filter((version) => version >= low && version <= high);
}

const { stackTraceLimit } = Error;

beforeAll(() => {
  // The stack of a refusal costs more than the refusal.
  Error.stackTraceLimit = 0;
});

afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

for (const codec of messageCodecs()) {
  it(codec.name, () => {
    const started = performance.now();
    let decodes = 0;
    for (const version of someVersions(codec)) {
      const bytes = encoded(codec, version, version + 7);
      for (let size = 0; size < bytes.length; size++) {
        if (!refused(codec, bytes.subarray(0, size), version))
          throw new Error(`v${version} read of ${size} bytes alone`);
        const changed = Buffer.from(bytes);
        changed[size] = TELLING_BYTES[(size + version) % TELLING_BYTES.length]!;
        refused(codec, changed, version);
        decodes += 2;
      }
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
          refused(codec, Buffer.from(random), version);
        }),
        { numRuns: 30, seed: version },
      );
      decodes += 30;
    }
    expect(performance.now() - started).toBeLessThan(LONGEST_DECODE_MS + decodes * 2);
  });
}

it('does not allocate what a count claims', () => {
  for (const codec of messageCodecs()) {
    const version = codec.message.versions.high;
    const bytes = Buffer.alloc(1 << 16, 0xff);
    for (let at = 4; at < bytes.length; at += 5) bytes[at] = 0x0f;
    const before = process.memoryUsage().heapUsed;
    refused(codec, bytes, version);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 << 20);
  }
});

it('refuses versions that do not exist', () => {
  for (const codec of messageCodecs()) {
    expect(() => codec.decode(new Reader(Buffer.alloc(100)), codec.message.versions.high + 1)).toThrow(
      MalformedMessage,
    );
    expect(() => codec.decode(new Reader(Buffer.alloc(100)), codec.message.versions.low - 1)).toThrow(MalformedMessage);
    expect(() => codec.encode(new Writer(), codec.create(), codec.message.versions.high + 1)).toThrow(
      'no such version',
    );
  }
});
