/** Every bit of an int64 survives the reader of tools. */
import fc from 'fast-check';
import { ExactReader } from './exact-reader';
import { decodeListOffsetsRequest, encodeListOffsetsRequest } from './generated/02-list-offsets';
import { Writer } from './writer';

function bytesOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function written(value: number): Buffer {
  const writer = new Writer();
  writer.int64(value);
  return writer.finishBuffer();
}

it('keeps every bit, of ids too', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const bytes = bytesOf(value);
      const exact = new ExactReader(bytes).int64();
      expect(String(exact)).toBe(String(value));
      expect(written(exact).equals(bytes)).toBe(true);
      expect(written(new ExactReader(bytes).exactInt64()).equals(bytes)).toBe(true);
    }),
  );
});

it('serves generated decoders', () => {
  const frame = Buffer.from(
    'ffffffff000000010001740000000100000003 0020000000000001 00000001'.replaceAll(' ', ''),
    'hex',
  );
  const message = decodeListOffsetsRequest(new ExactReader(frame), 0);
  expect(String(message.topics[0]!.partitions[0]!.timestamp)).toBe('9007199254740993');
  const writer = new Writer();
  encodeListOffsetsRequest(writer, message, 0);
  expect(writer.finishBuffer().equals(frame)).toBe(true);
});
