/** What the reader takes, and what it refuses. */
import { ZERO_UUID } from '../base/random';
import { MalformedMessage } from './malformed';
import { Reader } from './reader';

function reader(hex: string): Reader {
  return new Reader(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

describe('numbers', () => {
  it('reads signed and unsigned integers', () => {
    expect(reader('ff').int8()).toBe(-1);
    expect(reader('8000').int16()).toBe(-0x8000);
    expect(reader('8000').uint16()).toBe(0x8000);
    expect(reader('80000000').int32()).toBe(-0x80000000);
    expect(reader('80000000').uint32()).toBe(0x80000000);
    expect(reader('3ff8000000000000').float64()).toBe(1.5);
  });

  it('takes any byte but zero for true', () => {
    expect(reader('00').bool()).toBe(false);
    expect(reader('02').bool()).toBe(true);
  });

  it('reads varints of up to 32 bits and refuses longer ones', () => {
    expect(reader('ac02').uvarint()).toBe(300);
    expect(reader('ffffffff0f').uvarint()).toBe(0xffffffff);
    expect(reader('8000').uvarint()).toBe(0);
    expect(() => reader('ffffffff1f').uvarint()).toThrow('longer than 32 bits');
    expect(() => reader('ffffffffff01').uvarint()).toThrow('longer than 32 bits');
    expect(() => reader('ff').uvarint()).toThrow('1 bytes needed, 0 left');
    expect(reader('03').varint()).toBe(-2);
    expect(reader('ffffffff0f').varint()).toBe(-0x80000000);
  });

  it('says what is missing and where', () => {
    const short = reader('0000 01');
    short.int16();
    expect(() => short.int32()).toThrow(new MalformedMessage('4 bytes needed, 1 left at byte 2 of 3'));
  });
});

describe('texts and bytes', () => {
  it('reads classic and compact strings, null only where it is allowed', () => {
    expect(reader('0002 6869').string()).toBe('hi');
    expect(reader('03 6869').compactString()).toBe('hi');
    expect(reader('ffff').nullableString()).toBeNull();
    expect(reader('00').compactNullableString()).toBeNull();
    expect(reader('0000').nullableString()).toBe('');
    expect(() => reader('ffff').string()).toThrow('null where it is not allowed');
    expect(() => reader('00').compactString()).toThrow('null where it is not allowed');
  });

  it('replaces what is not UTF-8', () => {
    expect(reader('0003 61ff62').string()).toBe('a\ufffdb');
    expect(reader('0004 f0908d88').string()).toBe('\u{10348}');
  });

  it('gives the same text for the same bytes whatever was read before', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `topic-${index}`);
    for (let round = 0; round < 2; round++)
      for (const name of names) {
        const bytes = Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name)]);
        expect(new Reader(bytes).string()).toBe(name);
      }
  });

  it('refuses strings longer than a classic length can say', () => {
    const long = Buffer.concat([Buffer.from([0x81, 0x80, 0x02]), Buffer.alloc(0x8000, 97)]);
    expect(() => new Reader(long).compactString()).toThrow('a string of 32768 bytes');
  });

  it('gives bytes as slices of the frame', () => {
    const frame = Buffer.from('00000002aabb', 'hex');
    const bytes = new Reader(frame).bytes();
    frame[4] = 0xcc;
    expect(bytes.toString('hex')).toBe('ccbb');
    expect(reader('ffffffff').nullableBytes()).toBeNull();
    expect(reader('ffffffff').nullableRecords()).toBeNull();
    expect(reader('01').compactRecords()).toHaveLength(0);
    expect(() => reader('ffffffff').records()).toThrow('null where it is not allowed');
    expect(() => reader('7fffffff00').bytes()).toThrow('2147483647 bytes needed, 1 left');
    expect(() => reader('ffffffff0f00').compactBytes()).toThrow('4294967294 bytes needed, 1 left');
  });

  it('reads UUIDs, the zero one as the constant', () => {
    expect(reader('00'.repeat(16)).uuid()).toBe(ZERO_UUID);
    const bytes = Buffer.from(Array.from({ length: 16 }, (_, index) => 16 * index));
    for (let round = 0; round < 2; round++) expect(new Reader(bytes).uuid()).toBe(bytes.toString('base64url'));
  });
});

describe('arrays and tags', () => {
  it('believes counts only as far as the bytes that are left', () => {
    expect(reader('00000002 0000').arrayLength(1)).toBe(2);
    expect(() => reader('00000003 0000').arrayLength(1)).toThrow('an array of 3 elements');
    expect(() => reader('7fffffff 0000').arrayLength(4)).toThrow('an array of 2147483647 elements');
    expect(reader('ffffffff').nullableArrayLength(1)).toBe(-1);
    expect(reader('00').compactNullableArrayLength(1)).toBe(-1);
    expect(() => reader('ffffffff').arrayLength(1)).toThrow('null where it is not allowed');
    expect(() => reader('00').compactArrayLength(1)).toThrow('null where it is not allowed');
  });

  it('bounds the elements of all arrays together', () => {
    const frame = new Reader(Buffer.alloc(1_500_008, 0));
    frame.buffer.writeInt32BE(1_500_000, 0);
    frame.buffer.writeInt32BE(1_500_000, 4);
    expect(frame.arrayLength(1)).toBe(1_500_000);
    expect(() => frame.arrayLength(1)).toThrow('more than 2000000 elements');
  });

  it('skips unknown tagged fields and refuses sizes beyond the end', () => {
    const tags = reader('02 07 02 aabb 09 00 2a');
    tags.skipTags();
    expect(tags.int8()).toBe(42);
    expect(() => reader('01 07 03 aabb').skipTags()).toThrow('a tagged field of 3 bytes');
  });

  it('stays inside the part of the buffer that it was given', () => {
    const part = new Reader(Buffer.from('0102030405', 'hex'), 1, 3);
    expect(part.remaining).toBe(2);
    expect(part.int16()).toBe(0x0203);
    expect(() => part.int8()).toThrow(MalformedMessage);
  });
});
