/** The account of records that were converted and not yet sent. */
import { conversionLimits, holdConverted } from './converted-records';

const MEBIBYTE = 1024 * 1024;

describe('converted records', () => {
  it('are shared among the partitions of a request, which get a little at least', () => {
    expect(conversionLimits(1)).toEqual({ requestBytes: 4 * MEBIBYTE, partitionBytes: 4 * MEBIBYTE });
    expect(conversionLimits(4)).toEqual({ requestBytes: 4 * MEBIBYTE, partitionBytes: MEBIBYTE });
    expect(conversionLimits(100_000).partitionBytes).toBe(16 * 1024);
  });

  it('are scarce while others wait to be sent', () => {
    const held = Array.from({ length: 64 }, () => holdConverted(Buffer.alloc(MEBIBYTE)));
    expect(conversionLimits(1)).toEqual({ requestBytes: 1, partitionBytes: 1 });
    held.pop()?.release();
    expect(conversionLimits(1).requestBytes).toBe(4 * MEBIBYTE);
    for (const chunk of held) chunk.release();
  });

  it('are read as they are, and released once', async () => {
    const chunk = holdConverted(Buffer.from('records'));
    const target = Buffer.alloc(3);
    expect([chunk.length, await chunk.read(target, 2), target.toString()]).toEqual([7, 3, 'cor']);
    chunk.release();
    expect(() => chunk.release()).toThrow('once');
  });
});
