/** What a producer may send, in which form it is stored, and the codes for what is refused. */
import { gzipSync } from 'node:zlib';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import { buildBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { buildEndTransactionMarker } from '../records/control-record';
import { batchOf, logConfig, recordsOf, textsOf } from '../testing/log-fixture';
import { checkAppend, checkReplicated } from './append-check';

const NOW = 1_700_000_000_000;

function check(records: Buffer, changes: Partial<LogConfig> = {}, origin: 'client' | 'coordinator' = 'client') {
  return checkAppend(records, { config: logConfig(changes), nowMs: NOW, origin });
}

function code(records: Buffer, changes: Partial<LogConfig> = {}): number {
  const result = check(records, changes);
  return result.ok ? 0 : result.error.code;
}

function stored(records: Buffer, changes: Partial<LogConfig> = {}): Buffer {
  const result = check(records, changes);
  if (!result.ok || !result.value) throw new Error(`refused: ${result.ok ? 'nothing' : result.error.message}`);
  return result.value;
}

/** A good batch with something changed and the CRC made right again. */
function altered(change: (batch: Buffer) => void, texts = ['a', 'b', 'c'], codec: 0 | 1 = 0): Buffer {
  const batch = batchOf(texts, { codec });
  change(batch);
  batchHeader.recomputeCrc(batch);
  return batch;
}

describe('checkAppend', () => {
  it('keeps a good batch as it is, whatever its codec', () => {
    for (const codec of [0, 1, 2, 3, 4] as const) {
      const batch = batchOf(['a', 'b'], { codec });
      const before = Buffer.from(batch);
      expect(stored(batch).equals(before)).toBe(true);
    }
  });

  it.each<[string, Buffer, number]>([
    ['a flipped bit', flipped(), ErrorCode.CORRUPT_MESSAGE],
    ['a batch that says it is tiny', altered((b) => b.writeInt32BE(5, 8)), ErrorCode.CORRUPT_MESSAGE],
    ['a batch smaller than its header', tooSmall(), ErrorCode.CORRUPT_MESSAGE],
    ['an unknown format', altered((b) => b.writeInt8(3, 16)), ErrorCode.CORRUPT_MESSAGE],
    ['a negative format', altered((b) => b.writeInt8(-1, 16)), ErrorCode.CORRUPT_MESSAGE],
    ['a base offset', batchOf(['a'], { baseOffset: 5 }), ErrorCode.INVALID_RECORD],
    ['two batches', Buffer.concat([batchOf(['a']), batchOf(['b'])]), ErrorCode.INVALID_RECORD],
    ['a count that is too small', altered((b) => batchHeader.patchRecordCount(b, 0, 2)), ErrorCode.INVALID_RECORD],
    ['no records', altered((b) => setCount(b, 0)), ErrorCode.INVALID_RECORD],
    ['a negative count', altered((b) => setCount(b, -1)), ErrorCode.INVALID_RECORD],
    ['more records than are there', altered((b) => setCount(b, 5)), ErrorCode.INVALID_RECORD],
    ['fewer records than are there', altered((b) => setCount(b, 2)), ErrorCode.INVALID_RECORD],
    ['the same, compressed', altered((b) => setCount(b, 2), ['a', 'b', 'c'], 1), ErrorCode.INVALID_RECORD],
    ['codec 5', altered((b) => batchHeader.patchAttributes(b, 0, 5)), ErrorCode.INVALID_RECORD],
    ['plain bytes as gzip', altered((b) => batchHeader.patchAttributes(b, 0, 1)), ErrorCode.INVALID_RECORD],
    ['plain bytes as zstd', altered((b) => batchHeader.patchAttributes(b, 0, 4)), ErrorCode.INVALID_RECORD],
    ['a control batch', control(), ErrorCode.INVALID_RECORD],
    ['a producer without sequence', batchOf(['a'], { producerId: 1, producerEpoch: 0 }), ErrorCode.INVALID_RECORD],
    ['garbage', Buffer.alloc(200, 0x41), 0],
  ])('answers %s', (_, records, expected) => {
    expect(code(records)).toBe(expected);
  });

  it('has nothing to store where no whole batch is, and leaves out a cut-off rest', () => {
    const batch = batchOf(['a', 'b']);
    for (const size of [0, 5, 11, 40, batch.length - 1]) {
      expect(check(batch.subarray(0, size))).toEqual({ ok: true, value: null });
    }
    expect(stored(Buffer.concat([batch, batch.subarray(0, 30)])).length).toBe(batch.length);
  });

  it('limits the bytes of a batch as sent and as stored', () => {
    const batch = batchOf(['x'.repeat(5000)], { codec: 1 });
    expect(code(batch, { maxMessageBytes: batch.length })).toBe(0);
    expect(code(batch, { maxMessageBytes: batch.length - 1 })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(code(batch, { maxMessageBytes: 1000, compressionType: 'uncompressed' })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(code(batch, { maxDecompressedMessageBytes: 4000 })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  });

  it('wants keys where the topic is compacted, and says which are missing', () => {
    const records = ['a', null, '', null].map((key, i) => ({
      timestamp: NOW + i,
      key: key === null ? null : Buffer.from(key),
      value: null,
    }));
    const result = check(buildBatch({ records, codec: 1 }), { cleanupCompact: true });
    expect(result).toMatchObject({ error: { code: ErrorCode.INVALID_RECORD } });
    expect(!result.ok && result.error.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1, 3]);
    expect(code(buildBatch({ records }))).toBe(0);
  });

  it('limits CreateTime on both sides, not -1 and not LogAppendTime', () => {
    const limits = { messageTimestampAfterMaxMs: 10, messageTimestampBeforeMaxMs: 20 };
    const at = (...times: number[]) =>
      check(buildBatch({ records: times.map((timestamp) => ({ timestamp, key: null, value: null })) }), limits);
    expect([at(NOW + 10), at(NOW - 20), at(-1)].map(({ ok }) => ok)).toEqual([true, true, true]);
    for (const result of [at(NOW, NOW + 11), at(NOW, NOW - 21)]) {
      expect(result).toMatchObject({ error: { code: ErrorCode.INVALID_TIMESTAMP, recordErrors: [{ batchIndex: 1 }] } });
    }
    const late = batchOf(['a'], { timestamp: 5 });
    expect(code(late, { ...limits, messageTimestampType: 'LogAppendTime' })).toBe(0);
  });

  it('does not take a LogAppendTime from a producer', () => {
    const stamped = (): Buffer => batchOf(['a', 'b'], { timestamp: 5, logAppendTimeMs: NOW });
    expect(code(stamped(), { messageTimestampType: 'LogAppendTime' })).toBe(ErrorCode.INVALID_TIMESTAMP);
    const batch = stored(stamped());
    expect([batchHeader.timestampType(batch), batchHeader.maxTimestamp(batch)]).toEqual(['CreateTime', NOW]);
    expect(batchHeader.isCrcValid(batch)).toBe(true);
  });

  it('corrects a wrong largest timestamp', () => {
    const batch = stored(altered((b) => batchHeader.patchMaxTimestamp(b, 0, 7)));
    expect([batchHeader.maxTimestamp(batch), batchHeader.isCrcValid(batch)]).toEqual([1002, true]);
  });

  it('does not number more records again than a client can have sent in good faith', () => {
    const count = 1_000_001;
    const body = Buffer.alloc(count * 7, Buffer.from([12, 0, 0, 0, 1, 1, 0]));
    const batch = buildBatch({ records: [{ timestamp: 0, key: null, value: null }] });
    const wrong = Buffer.concat([batch.subarray(0, batchHeader.HEADER_SIZE), gzipSync(body)]);
    batchHeader.patchSizeInBytes(wrong, 0, wrong.length);
    batchHeader.patchAttributes(wrong, 0, 1);
    batchHeader.patchLastOffsetDelta(wrong, 0, count - 1);
    batchHeader.patchRecordCount(wrong, 0, count);
    batchHeader.recomputeCrc(wrong);
    expect(code(wrong)).toBe(ErrorCode.INVALID_RECORD);
  });

  it('numbers records again where a client got the offset deltas wrong', () => {
    const records = [0, 3, 9].map((offset) => ({ timestamp: NOW, key: null, value: Buffer.from(`${offset}`), offset }));
    for (const codec of [0, 1] as const) {
      const sent = buildBatch({ records, codec });
      batchHeader.patchLastOffsetDelta(sent, 0, 2);
      batchHeader.recomputeCrc(sent);
      const batch = stored(sent);
      expect(recordsOf(batch).map(({ offset, value }) => [offset, value?.toString()])).toEqual([
        [0, '0'],
        [1, '3'],
        [2, '9'],
      ]);
      expect(batchHeader.codec(batch)).toBe(codec);
    }
  });

  it.each<[LogConfig['compressionType'], number]>([
    ['gzip', 1],
    ['snappy', 2],
    ['lz4', 3],
    ['zstd', 4],
    ['uncompressed', 0],
  ])('stores as %s where the topic says so', (compressionType, codec) => {
    const batch = stored(batchOf(['a', 'b'], { codec: 3, producerId: 4, producerEpoch: 2, baseSequence: 9 }), {
      compressionType,
    });
    expect([batchHeader.codec(batch), batchHeader.producerId(batch), batchHeader.baseSequence(batch)]).toEqual([
      codec,
      4,
      9,
    ]);
    expect(textsOf(recordsOf(batch))).toEqual(['a', 'b']);
  });

  it('compresses anew only what has another codec, at the level of the topic', () => {
    const types = ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i % 7} `.repeat(9));
    for (const sent of [0, 1, 2, 3, 4] as const) {
      const batch = batchOf(texts, { codec: sent });
      expect(stored(Buffer.from(batch), { compressionType: 'producer' }).equals(batch)).toBe(true);
      for (const [codec, compressionType] of types.entries()) {
        const found = stored(Buffer.from(batch), { compressionType });
        expect([batchHeader.codec(found), found.equals(batch)]).toEqual([codec, codec === sent]);
        expect(textsOf(recordsOf(found))).toEqual(texts);
      }
    }
    const plain = batchOf(Array.from({ length: 300 }, (_, i) => `${(i * 7919) % 1000}`.repeat(1 + (i % 5))));
    const sizes = [1, 9].map((level) => {
      const settings = { compressionType: 'gzip', compressionGzipLevel: level } as const;
      return stored(Buffer.from(plain), settings).length;
    });
    expect(sizes[0]).toBeGreaterThan(sizes[1]!);
  });

  it('limits what grows: compressed anew, and in the new format', () => {
    const small = batchOf(['a']);
    const limit = { maxMessageBytes: small.length };
    expect(code(Buffer.from(small), limit)).toBe(0);
    expect(code(Buffer.from(small), { ...limit, compressionType: 'gzip' })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    const old = oldMessage('a');
    expect(code(old, { maxMessageBytes: old.length })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(code(old, limit)).toBe(0);
  });

  it('takes from a coordinator what a client may not send', () => {
    const marker = control();
    expect(check(marker, {}, 'coordinator')).toEqual({ ok: true, value: marker });
  });

  it('limits each message of an old set, and finds keys missing in it', () => {
    const set = Buffer.concat([oldMessage('a'), oldMessage('b'.repeat(100))]);
    expect(textsOf(recordsOf(stored(set)))).toEqual(['a', 'b'.repeat(100)]);
    expect(code(set, { maxMessageBytes: 120 })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(code(set, { cleanupCompact: true })).toBe(ErrorCode.INVALID_RECORD);
    set[20]! ^= 1;
    expect(code(set)).toBe(ErrorCode.CORRUPT_MESSAGE);
  });
});

describe('checkReplicated', () => {
  const batches = Buffer.concat([batchOf(['a'], { baseOffset: 3 }), batchOf(['b'], { baseOffset: 9 })]);

  it('takes whole batches and leaves out a cut-off one', () => {
    const result = checkReplicated(Buffer.concat([batches, batches.subarray(0, 65)]));
    expect(result.ok && result.value?.equals(batches)).toBe(true);
    expect(checkReplicated(Buffer.alloc(0))).toEqual({ ok: true, value: null });
  });

  it.each<[string, Buffer]>([
    ['a flipped bit', Buffer.concat([batches.subarray(0, -1), Buffer.from('#')])],
    ['offsets that do not rise', Buffer.concat([batches, batchOf(['c'], { baseOffset: 9 })])],
    ['an old message', Buffer.concat([oldMessage('x'.repeat(50)), batches])],
  ])('refuses %s', (_, records) => {
    expect(checkReplicated(records)).toMatchObject({ error: { code: ErrorCode.CORRUPT_MESSAGE } });
  });
});

function flipped(): Buffer {
  const batch = batchOf(['abc']);
  batch[batch.length - 2]! ^= 1;
  return batch;
}

function tooSmall(): Buffer {
  const batch = batchOf(['a']);
  batchHeader.patchSizeInBytes(batch, 0, 50);
  return batch;
}

function setCount(batch: Buffer, count: number): void {
  batchHeader.patchRecordCount(batch, 0, count);
  batchHeader.patchLastOffsetDelta(batch, 0, count - 1);
}

function control(): Buffer {
  return buildEndTransactionMarker({
    isCommit: true,
    coordinatorEpoch: 0,
    producerId: 1,
    producerEpoch: 0,
    timestampMs: NOW,
  });
}

/** A message of format 0 with a null key. */
function oldMessage(text: string): Buffer {
  const body = Buffer.alloc(14 + text.length);
  body.writeInt32BE(-1, 6);
  body.writeInt32BE(text.length, 10);
  body.write(text, 14, 'latin1');
  let crc = 0xffffffff;
  for (const byte of body.subarray(4)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  body.writeUInt32BE(~crc >>> 0, 0);
  const head = Buffer.alloc(12);
  head.writeInt32BE(body.length, 8);
  return Buffer.concat([head, body]);
}
