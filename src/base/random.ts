/** Randomness behind one interface, so that a seed can decide it. Nothing else in `src` makes random values. */
import { randomBytes } from 'node:crypto';

export interface Random {
  bytes(count: number): Buffer;
  /** An integer in [0, below). */
  integer(below: number): number;
}

/** Random bytes are drawn so many at a time: a call of the system for each topic id would cost more than the topic. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

function pooledBytes(count: number): Buffer {
  if (count > POOL_BYTES / 16) return randomBytes(count);
  if (pool.length < count) pool = randomBytes(POOL_BYTES);
  const bytes = Buffer.from(pool.subarray(0, count));
  pool = pool.subarray(count);
  return bytes;
}

export const systemRandom: Random = {
  bytes: pooledBytes,
  integer: (below) => randomBytes(6).readUIntBE(0, 6) % below,
};

/** The id that stands for "none" on the wire: 16 zero bytes. */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';

/**
 * A random version-4 UUID as Kafka writes it: 22 characters of URL-safe base64.
 * Never starts with '-' (such ids trip command-line tools), as in Kafka's `Uuid.randomUuid`.
 */
export function randomUuid(random: Random): string {
  for (;;) {
    const bytes = random.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const text = bytes.toString('base64url');
    if (!text.startsWith('-')) return text;
  }
}
