/** The digest against a plain version of its own, and what a key's digest must not have in common with another's. */
import fc from 'fast-check';
import { seededRandom } from '../testing/log-fixture';
import { KeyDigest } from './key-digest';

const WORD = 2n ** 32n;

function digestOf(digest: KeyDigest, bytes: Buffer, from = 0): number[] {
  digest.take(bytes, from, bytes.length);
  return [digest.a, digest.b, digest.c, digest.d];
}

/** HalfSipHash-2-4 as it is described, in numbers of any size. */
function plainDigest(secret: Buffer, key: Buffer): number[] {
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => BigInt(secret.readUInt32LE(at))) as [bigint, bigint, bigint, bigint];
  const left = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (32n - by))) % WORD;
  const round = (): void => {
    a = (a + b) % WORD;
    b = left(b, 5n) ^ a;
    a = left(a, 16n);
    c = (c + d) % WORD;
    d = left(d, 8n) ^ c;
    a = (a + d) % WORD;
    d = left(d, 7n) ^ a;
    c = (c + b) % WORD;
    b = left(b, 13n) ^ c;
    c = left(c, 16n);
  };
  const padded = Buffer.alloc(Math.floor(key.length / 4) * 4 + 4);
  key.copy(padded);
  padded[padded.length - 1] = key.length;
  for (let at = 0; at < padded.length; at += 4) {
    const word = BigInt(padded.readUInt32LE(at));
    d ^= word;
    round();
    round();
    a ^= word;
  }
  c ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return [a, b, c, d].map((word) => Number(BigInt.asIntN(32, word)));
}

describe('KeyDigest', () => {
  it('is HalfSipHash-2-4 of the stretch it is asked for, begun with the secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(40), fc.nat(), (content, from, seed) => {
        const bytes = Buffer.concat([Buffer.alloc(from, 7), content, Buffer.alloc(3, 9)]);
        const digest = new KeyDigest(seededRandom(seed));
        const expected = plainDigest(seededRandom(seed).bytes(16), Buffer.from(content));
        expect(digestOf(digest, bytes.subarray(0, from + content.length), from)).toEqual(expected);
      }),
    );
  });

  it('is another one under another secret', () => {
    const [one, other] = [1, 2].map((seed) => digestOf(new KeyDigest(seededRandom(seed)), Buffer.from('key')));
    expect(one!.filter((word) => other!.includes(word))).toEqual([]);
  });

  it('changes about half of its bits, each of them now and then, with each bit of a key', () => {
    const digest = new KeyDigest(seededRandom(1));
    const flips = new Array<number>(128).fill(0);
    let keys = 0;
    for (let length = 1; length <= 20; length++) {
      const bytes = Buffer.from(`customer-${'0'.repeat(11)}`.slice(0, length));
      const before = digestOf(digest, bytes);
      for (let bit = 0; bit < length * 8; bit++, keys++) {
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        for (const [i, word] of digestOf(digest, bytes).entries()) {
          for (let j = 0; j < 32; j++) flips[i * 32 + j]! += ((word ^ before[i]!) >>> j) & 1;
        }
        bytes[bit >> 3]! ^= 1 << (bit & 7);
      }
    }
    for (const count of flips) expect(Math.abs(count / keys - 0.5)).toBeLessThan(0.06);
  });

  it('has no two words in common for keys that look alike, zeroes at the end included', () => {
    const digest = new KeyDigest(seededRandom(1));
    const firstTwo = new Set<number>();
    const lastTwo = new Set<number>();
    let keys = 0;
    const take = (key: Buffer): void => {
      const [a, b, c, d] = digestOf(digest, key);
      firstTwo.add((a! >>> 11) * 2 ** 32 + (b! >>> 0));
      lastTwo.add((c! >>> 11) * 2 ** 32 + (d! >>> 0));
      keys++;
    };
    for (let i = 0; i < 100_000; i++) take(Buffer.from(String(i)));
    for (let length = 0; length < 250; length++) take(Buffer.alloc(length));
    for (let i = 0; i < 50_000; i++) take(Buffer.from(`order/2026-12-01/eu-central/${i * 4096}`));
    // 53 bits of 150,000 keys: two alike by chance once in a million secrets.
    expect([firstTwo.size, lastTwo.size]).toEqual([keys, keys]);
  });
});
