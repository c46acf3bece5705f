/** The cursor's strictness: every way in which a record's parts may not fit. */
import fc from 'fast-check';
import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { RecordCursor, recordBytes, walkRecords } from './batch-walk';
import { Codec } from './compression';

const utf8 = (text: string): Buffer => Buffer.from(text);

function zigzag(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** A record from its parts; `size` overrides the true one. */
function record(parts: (number | Buffer)[], size?: number): Buffer {
  const body = Buffer.concat([Buffer.from([0]), ...parts.map((part) => (Buffer.isBuffer(part) ? part : zigzag(part)))]);
  return Buffer.concat([zigzag(size ?? body.length), body]);
}

const good = record([5, 0, 1, utf8('k'), 2, utf8('vv'), 0]);

function walk(bytes: Buffer, count: number): string {
  const walked = walkRecords(bytes, count, () => undefined);
  return walked.ok ? 'ok' : walked.error;
}

describe('RecordCursor', () => {
  it('stands on each record, null and empty apart', () => {
    const headers = [2, 1, utf8('h'), -1, 0, 3, utf8('abc')];
    const bytes = Buffer.concat([good, record([-70_000_000_000, 1, -1, 0, ...headers]), record([0, 2, 0, -1, 0])]);
    const seen: unknown[] = [];
    const cursor = new RecordCursor().reset(bytes);
    while (cursor.next()) {
      seen.push([cursor.index, cursor.timestampDelta, cursor.offsetDelta, cursor.keyLength, cursor.valueLength]);
      seen.push(cursor.headerCount);
    }
    expect(cursor.failure).toBeUndefined();
    expect(seen).toEqual([[0, 5, 0, 1, 2], 0, [1, -70_000_000_000, 1, -1, 0], 2, [2, 0, 2, 0, -1], 0]);
    cursor.reset(good).next();
    expect(cursor.bytes.toString('utf8', cursor.keyPosition, cursor.keyPosition + cursor.keyLength)).toBe('k');
    expect(cursor.bytes.toString('utf8', cursor.valuePosition, cursor.valuePosition + cursor.valueLength)).toBe('vv');
    expect([cursor.start, cursor.end]).toEqual([0, good.length]);
    expect([cursor.next(), cursor.failure]).toEqual([false, undefined]);
  });

  it('reads numbers of every length', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer(), (timestampDelta, offsetDelta) => {
        const cursor = new RecordCursor().reset(record([timestampDelta, offsetDelta, -1, -1, 0]));
        expect(cursor.next()).toBe(true);
        expect([cursor.timestampDelta, cursor.offsetDelta]).toEqual([timestampDelta, offsetDelta]);
      }),
    );
  });

  it.each([
    ['a size of one more', record([5, 0, 1, utf8('k'), 2, utf8('vv'), 0], 10), /record size/],
    ['a size of one less', Buffer.concat([record([5, 0, 1, utf8('k'), 2, utf8('vv'), 0], 8), good]), /within/],
    ['a negative size', record([5, 0, -1, -1, 0], -3), /record size/],
    ['a size of 0', record([], 0), /within/],
    ['a key beyond the record', record([5, 0, 9, utf8('k'), -1, 0]), /within/],
    ['a value beyond the record', record([5, 0, -1, 9, utf8('k'), 0]), /within/],
    ['a negative header count', record([5, 0, -1, -1, -1]), /number of record headers/],
    ['more headers than bytes', record([5, 0, -1, -1, 4, 0, 0]), /number of record headers|within/],
    ['a header without key', record([5, 0, -1, -1, 1, -1, -1]), /negative header key/],
    ['a header key beyond the record', record([5, 0, -1, -1, 1, 60, utf8('abc'), -1]), /within/],
    ['a header value beyond the record', record([5, 0, -1, -1, 1, 1, utf8('a'), 60]), /record size/],
    ['bytes behind the headers', record([5, 0, -1, -1, 0, utf8('xyz')]), /record size/],
    ['a varint of six bytes', record([5, Buffer.from([128, 128, 128, 128, 128, 0]), -1, -1, 0]), /too long/],
    ['a varlong of eleven bytes', record([Buffer.from([...Array(10).fill(128), 0]), 0, -1, -1, 0]), /too long/],
    ['a record cut off', good.subarray(0, 5), /record size/],
  ])('refuses %s', (_what, bytes, reason) => {
    expect(walk(bytes, 1)).toMatch(reason);
  });

  it('never reads outside, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(5), (bytes, count) => {
        walkRecords(Buffer.from(bytes), count, (cursor) => {
          expect(cursor.end).toBeLessThanOrEqual(bytes.length);
          expect(cursor.valuePosition + Math.max(0, cursor.valueLength)).toBeLessThanOrEqual(cursor.end);
        });
      }),
    );
  });
});

describe('walkRecords', () => {
  it('wants exactly the declared count', () => {
    const two = Buffer.concat([good, good]);
    expect(walk(two, 2)).toBe('ok');
    expect(walk(two, 1)).toMatch(/remaining/);
    expect(walk(two, 3)).toMatch(/premature/);
    expect(walk(Buffer.alloc(0), 0)).toBe('ok');
    expect(walk(Buffer.alloc(0), -1)).toMatch(/premature/);
  });
});

describe('recordBytes', () => {
  const records = [{ timestamp: 1, key: null, value: Buffer.alloc(500, 'x') }];

  it('gives the records of a batch inside a larger buffer, inflated', () => {
    for (const codec of [Codec.none, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd]) {
      const batch = buildBatch({ records, codec });
      const bytes = recordBytes(Buffer.concat([batch, batch, Buffer.from('tail')]), batch.length);
      expect(bytes.ok && walk(bytes.value, 1)).toBe('ok');
    }
  });

  it('fails for too much and for unknown codecs', () => {
    const batch = buildBatch({ records, codec: Codec.gzip });
    expect(recordBytes(batch, 0, 100)).toMatchObject({ ok: false, error: 'too-large' });
    batchHeader.patchAttributes(batch, 0, 6);
    expect(recordBytes(batch)).toMatchObject({ ok: false, error: 'unknown-codec' });
  });
});
