/** Memory that is used again holds one batch at a time; what others keep is never in it. */
import { buildBatch } from './batch-builder';
import { passingRecordBytes, recordBytes } from './batch-walk';
import { Codec, MAX_INFLATED_BYTES } from './compression';
import { joinInflated, passingRoom } from './inflate-room';

const SEVERAL_BLOCKS = 200_000;

function batch(codec: Codec, filling: string): Buffer {
  return buildBatch({ records: [{ timestamp: 1, key: null, value: Buffer.alloc(SEVERAL_BLOCKS, filling) }], codec });
}

function taken(result: ReturnType<typeof recordBytes>): Buffer {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('passingRoom', () => {
  it.each([Codec.snappy, Codec.lz4])('serves one batch of codec %d after the other, apart from kept ones', (codec) => {
    const [first, second] = [batch(codec, 'a'), batch(codec, 'b')];
    const kept = taken(recordBytes(first));
    const passing = taken(passingRecordBytes(first, MAX_INFLATED_BYTES));
    expect(passing.equals(kept)).toBe(true);
    const next = taken(passingRecordBytes(second, MAX_INFLATED_BYTES));
    expect(next.equals(taken(recordBytes(second)))).toBe(true);
    expect([next.buffer === passing.buffer, next.byteOffset]).toEqual([true, passing.byteOffset]);
    expect(kept.includes('b')).toBe(false);
  });

  it('gives new memory for what is very large', () => {
    const [large, small] = [passingRoom(3 << 20), passingRoom(100)];
    expect([large.length, small.length]).toEqual([3 << 20, 100]);
    expect(large.buffer).not.toBe(small.buffer);
  });
});

describe('joinInflated', () => {
  it('copies several parts and passes a single one on', () => {
    const [one, two] = [Buffer.from('one'), Buffer.from('two')];
    expect(joinInflated([one, two], 6, passingRoom).toString()).toBe('onetwo');
    expect(joinInflated([one], 3, passingRoom)).toBe(one);
    expect(joinInflated([], 0)).toHaveLength(0);
  });
});
