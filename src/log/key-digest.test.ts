/** The digest against that of node:crypto. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { digestKey } from './key-digest';

function digestOf(bytes: Buffer, from: number, to: number): string {
  const words = new Int32Array(4);
  digestKey(bytes, { from, to }, words);
  const digest = Buffer.alloc(16);
  for (let i = 0; i < 4; i++) digest.writeInt32LE(words[i]!, i * 4);
  return digest.toString('hex');
}

describe('digestKey', () => {
  const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

  it('is MD5 for every length around the block borders', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) & 255));
      expect(digestOf(bytes, 0, length)).toBe(md5(bytes));
    }
  });

  it('is MD5 of the stretch it is asked for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(40), (content, from) => {
        const bytes = Buffer.concat([Buffer.alloc(from, 7), content, Buffer.alloc(3, 9)]);
        expect(digestOf(bytes, from, from + content.length)).toBe(md5(Buffer.from(content)));
      }),
    );
  });
});
