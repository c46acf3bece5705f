/** Snapshots in Kafka's bytes; damaged ones are known. */
import { ProducerEntry } from './producer-entry';
import { decodeSnapshot, encodeSnapshot } from './producer-snapshot';

function entry(): ProducerEntry {
  const made = new ProducerEntry(7);
  made.producerEpoch = 2;
  made.coordinatorEpoch = 5;
  made.lastTimestampMs = 1000;
  made.transactionFirstOffset = 40;
  made.batches = [{ lastSequence: 9, lastOffset: 50, offsetDelta: 3, timestampMs: 1000 }];
  return made;
}

describe('producer snapshots', () => {
  it('have the bytes that Kafka writes', () => {
    expect(encodeSnapshot([entry()]).toString('hex')).toBe(
      [
        '0001', // version
        'd3ab3005', // CRC-32C of the rest
        '00000001', // entries
        '0000000000000007', // producer id
        '0002', // epoch
        '00000009', // last sequence
        '0000000000000032', // last offset
        '00000003', // offset delta
        '00000000000003e8', // timestamp
        '00000005', // coordinator epoch
        '0000000000000028', // first offset of the open transaction
      ].join(''),
    );
  });

  it('come back as they were', () => {
    const [restored] = decodeSnapshot(encodeSnapshot([entry()]))!;
    expect(restored).toEqual(Object.assign(entry(), { isPartial: true }));
    expect(decodeSnapshot(encodeSnapshot([]))).toEqual([]);
    const silent = new ProducerEntry(1);
    expect(decodeSnapshot(encodeSnapshot([silent]))?.[0]?.batches).toEqual([]);
  });

  it('are refused when damaged anywhere', () => {
    const content = encodeSnapshot([entry()]);
    for (let at = 0; at < content.length; at++) {
      const damaged = Buffer.from(content);
      damaged[at]! ^= 0x40;
      expect(decodeSnapshot(damaged)).toBeUndefined();
      expect(decodeSnapshot(content.subarray(0, at))).toBeUndefined();
    }
    expect(decodeSnapshot(Buffer.alloc(56))).toBeUndefined();
  });
});
