/** Fields of every wire type, and bytes that are none. */
import fc from 'fast-check';
import { MalformedMessage } from '../codec/malformed';
import { doubleField, field, fixed64Field, varintField } from '../testing/otlp';
import { ProtobufReader } from './protobuf-reader';

function read<T>(bytes: Buffer, value: (reader: ProtobufReader) => T): [number, T][] {
  const reader = new ProtobufReader(bytes);
  const found: [number, T][] = [];
  reader.fields((number) => found.push([number, value(reader)]));
  return found;
}

it('reads each kind of field', () => {
  expect(read(varintField(3, 300), (reader) => reader.unsigned())).toEqual([[3, 300]]);
  expect(read(varintField(1, 1), (reader) => reader.bool())).toEqual([[1, true]]);
  expect(read(varintField(1, 2 ** 64 - 2 ** 20), (reader) => reader.int64())).toEqual([[1, -(2 ** 20)]]);
  expect(read(doubleField(20, -0.5), (reader) => reader.double())).toEqual([[20, -0.5]]);
  expect(read(fixed64Field(6, -7n), (reader) => reader.sfixed64())).toEqual([[6, -7]]);
  expect(read(fixed64Field(6, 2n ** 40n), (reader) => reader.fixed64())).toEqual([[6, 2 ** 40]]);
  expect(read(field(2, 'text'), (reader) => reader.text())).toEqual([[2, 'text']]);
});

it('skips what nobody reads', () => {
  const fixed32 = Buffer.from([5 * 8 + 5, 1, 2, 3, 4]);
  const bytes = Buffer.concat([varintField(1, 5), doubleField(2, 1), field(3, 'x'), fixed32, field(4, 'y')]);
  const reader = new ProtobufReader(bytes);
  const texts: string[] = [];
  reader.fields((number) => {
    if (number === 4) texts.push(reader.text());
  });
  expect(texts).toEqual(['y']);
});

it.each([
  ['a field that is cut', Buffer.from([0x12, 5, 1])],
  ['a varint without end', Buffer.alloc(12, 0xff)],
  ['a group', Buffer.from([0x0b])],
  ['a length beyond everything', Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
])('refuses %s', (_, bytes) => {
  expect(() => read(bytes, () => undefined)).toThrow(MalformedMessage);
});

it('refuses another kind than is wanted', () => {
  expect(() => read(varintField(1, 1), (reader) => reader.text())).toThrow(MalformedMessage);
});

it('throws nothing else, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        read(Buffer.from(bytes), (reader) => reader.bytes());
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage);
      }
    }),
  );
});
