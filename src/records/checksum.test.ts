/** Both implementations against the published check values and against each other. */
import fc from 'fast-check';
import { crc32, crc32c, nativeChecksums, portableChecksums } from './checksum';

const portable = portableChecksums();
const native = nativeChecksums();

describe('checksums', () => {
  it('give the check values of the two polynomials', () => {
    const digits = Buffer.from('123456789');
    expect(portable.crc32(digits)).toBe(0xcbf43926);
    expect(portable.crc32c(digits)).toBe(0xe3069283);
    expect(crc32(digits)).toBe(0xcbf43926);
    expect(crc32c(digits)).toBe(0xe3069283);
  });

  it('are the same, native and portable, over any slice', () => {
    expect(native).toBeDefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (bytes, skip) => {
        const data = Buffer.from(bytes).subarray(Math.min(skip, bytes.length));
        expect(native?.crc32(data)).toBe(portable.crc32(data));
        expect(native?.crc32c(data)).toBe(portable.crc32c(data));
      }),
    );
  });
});
