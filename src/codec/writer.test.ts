/** What the writer makes of values, records and tagged fields. */
import fc from 'fast-check';
import type { FileRegion } from '../base/chunk';
import { ZERO_UUID } from '../base/random';
import { Reader } from './reader';
import { Writer } from './writer';

function hex(write: (writer: Writer) => void): string {
  const writer = new Writer(2);
  write(writer);
  return writer.finishBuffer().toString('hex');
}

function region(length: number): FileRegion {
  return { length, read: async () => 0, release: () => undefined };
}

describe('values', () => {
  it('writes numbers and refuses those that do not fit', () => {
    expect(hex((writer) => writer.int8(-1))).toBe('ff');
    expect(hex((writer) => writer.uint16(0xfffe))).toBe('fffe');
    expect(hex((writer) => writer.uint32(0xfffffffe))).toBe('fffffffe');
    expect(hex((writer) => writer.float64(1.5))).toBe('3ff8000000000000');
    expect(() => hex((writer) => writer.int8(128))).toThrow('not an int8');
    expect(() => hex((writer) => writer.int16(-32769))).toThrow('not an int16');
    expect(() => hex((writer) => writer.uint16(-1))).toThrow('not a uint16');
    expect(() => hex((writer) => writer.int32(2 ** 31))).toThrow('not an int32');
    expect(() => hex((writer) => writer.uint32(-1))).toThrow('not a uint32');
  });

  it('writes varints that come back', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const writer = new Writer();
        writer.varint(value);
        writer.uvarint(value >>> 0);
        const reader = new Reader(writer.finishBuffer());
        expect(reader.varint()).toBe(value);
        expect(reader.uvarint()).toBe(value >>> 0);
      }),
    );
  });

  it('writes texts of any characters and length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (value) => {
        const bytes = Buffer.from(value);
        expect(hex((writer) => writer.string(value))).toBe(
          bytes.length.toString(16).padStart(4, '0') + bytes.toString('hex'),
        );
        const writer = new Writer(1);
        writer.compactString(value);
        expect(new Reader(writer.finishBuffer()).compactString()).toBe(value);
      }),
    );
    expect(hex((writer) => writer.string('a\ud800b'))).toBe('000561efbfbd62');
    expect(() => hex((writer) => writer.string('x'.repeat(32768)))).toThrow('longer than 32767 bytes');
  });

  it('writes UUIDs and refuses what is none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(hex((writer) => writer.uuid(buffer.toString('base64url')))).toBe(buffer.toString('hex'));
      }),
    );
    expect(hex((writer) => writer.uuid(ZERO_UUID))).toBe('00'.repeat(16));
    expect(() => hex((writer) => writer.uuid(''))).toThrow('not a uuid');
    expect(() => hex((writer) => writer.uuid('+'.repeat(22)))).toThrow('not a uuid');
    expect(() => hex((writer) => writer.uuid('é'.repeat(22)))).toThrow('not a uuid');
  });

  it('writes null in the way of each type', () => {
    expect(hex((writer) => writer.nullableString(null))).toBe('ffff');
    expect(hex((writer) => writer.compactNullableString(null))).toBe('00');
    expect(hex((writer) => writer.nullableBytes(null))).toBe('ffffffff');
    expect(hex((writer) => writer.compactNullableBytes(null))).toBe('00');
    expect(hex((writer) => writer.nullableRecords(null))).toBe('ffffffff');
    expect(hex((writer) => writer.compactNullableRecords(null))).toBe('00');
    expect(hex((writer) => writer.nullableArrayLength(null))).toBe('ffffffff');
    expect(hex((writer) => writer.compactNullableArrayLength(null))).toBe('00');
    expect(hex((writer) => writer.presence(null))).toBe('ff');
    expect(hex((writer) => writer.tagPresence(null))).toBe('00');
  });
});

describe('chunks', () => {
  it('passes large records through uncopied, between joined small parts', () => {
    const records = Buffer.alloc(5000, 7);
    const file = region(9);
    const writer = new Writer(16);
    writer.int32(1);
    writer.records([records, file]);
    writer.int16(2);
    expect(writer.length).toBe(4 + 4 + 5009 + 2);
    const chunks = writer.finish();
    expect(chunks).toHaveLength(4);
    expect((chunks[0] as Buffer).toString('hex')).toBe(`00000001${(5009).toString(16).padStart(8, '0')}`);
    expect(chunks[1]).toBe(records);
    expect(chunks[2]).toBe(file);
    expect((chunks[3] as Buffer).toString('hex')).toBe('0002');
  });

  it('keeps earlier parts when the buffer grows after them', () => {
    const writer = new Writer(16);
    const expected: Buffer[] = [];
    for (let index = 0; index < 20; index++) {
      const records = Buffer.alloc(2000, index);
      writer.string(`part ${index}`);
      writer.bytes(Buffer.alloc(index * 10, 1));
      writer.compactRecords(records);
      const size = Buffer.alloc(4);
      size.writeInt32BE(index * 10);
      const text = Buffer.from(`part ${index}`);
      expected.push(Buffer.from([0, text.length]), text, size, Buffer.alloc(index * 10, 1));
      expected.push(Buffer.from([0xd1, 0x0f]), records);
    }
    expect(writer.finishBuffer().equals(Buffer.concat(expected))).toBe(true);
  });

  it('copies small records', () => {
    const writer = new Writer();
    writer.records([Buffer.from('ab'), Buffer.from('cd')]);
    const chunks = writer.finish();
    expect(chunks).toHaveLength(1);
    expect((chunks[0] as Buffer).toString('hex')).toBe('0000000461626364');
  });

  it('fills in the length of a frame', () => {
    const writer = new Writer(8);
    writer.int32(0);
    writer.string('x'.repeat(100));
    writer.records(Buffer.alloc(3000));
    const chunks = writer.finishFrame() as Buffer[];
    expect(chunks[0]!.readInt32BE(0)).toBe(102 + 4 + 3000);
    expect(Buffer.concat(chunks)).toHaveLength(4 + 102 + 4 + 3000);
  });

  it('refuses to join a file region', () => {
    const writer = new Writer();
    writer.records([region(5)]);
    expect(() => writer.finishBuffer()).toThrow('file region');
  });
});

describe('tagged fields', () => {
  it('fills in sizes of every length of varint', () => {
    for (const size of [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1fffff, 0x200000]) {
      const writer = new Writer(4);
      writer.int8(9);
      const mark = writer.beginTag(5);
      writer.raw(Buffer.alloc(size, 1));
      writer.endTag(mark);
      writer.int8(7);
      const reader = new Reader(writer.finishBuffer(), 1);
      expect(reader.uvarint()).toBe(5);
      const end = reader.tagEnd();
      expect(end - reader.position).toBe(size);
      expect(reader.slice(size).equals(Buffer.alloc(size, 1))).toBe(true);
      expect(reader.int8()).toBe(7);
    }
  });

  it('nests them, also behind a part that is closed', () => {
    const writer = new Writer(4);
    writer.records(Buffer.alloc(2000));
    const outer = writer.beginTag(0);
    const inner = writer.beginTag(1);
    writer.raw(Buffer.alloc(200, 3));
    writer.endTag(inner);
    writer.endTag(outer);
    const reader = new Reader(writer.finishBuffer(), 2004);
    expect(reader.uvarint()).toBe(0);
    const end = reader.tagEnd();
    expect(reader.uvarint()).toBe(1);
    expect(reader.tagEnd()).toBe(end);
    expect(reader.slice(200).equals(Buffer.alloc(200, 3))).toBe(true);
    expect(reader.remaining).toBe(0);
  });
});

it('writes small messages behind each other, and no two of them into the same bytes', () => {
  const written: [Buffer, string][] = [];
  for (let n = 0; n < 3000; n++) {
    const text = `${n} `.repeat(1 + (n % 97));
    const writer = new Writer();
    writer.raw(Buffer.from(text));
    const nested = new Writer();
    nested.raw(Buffer.from(`nested ${n}`));
    if (n % 3 > 0) written.push([nested.finishBuffer(), `nested ${n}`]);
    writer.raw(Buffer.from(text));
    written.push([writer.finishBuffer(), text + text]);
  }
  expect(written.filter(([bytes, text]) => bytes.toString() !== text)).toEqual([]);
  const two = [new Writer(), new Writer()].map((writer) => {
    writer.raw(Buffer.from('x'));
    return writer.finishBuffer();
  });
  expect(new Set(two.map((bytes) => bytes.buffer)).size).toBe(2);
  const arenas = new Set(written.slice(-20).map(([bytes]) => bytes.buffer));
  expect(arenas.size).toBeLessThan(20);
});
