/**
 * MD5 of a stretch of a buffer, written into words of the caller: what the compactor knows a record's key by. Not for
 * security. `node:crypto` makes several objects for each digest and is without MD5 where a policy forbids it; a
 * cleaning takes millions of digests of short keys. (RFC 1321; Kafka: SkimpyOffsetMap.)
 */

const BLOCK_BYTES = 64;
/** Bytes that the padding's first byte and the message length take at the end. */
const TAIL_BYTES = 9;

/** Left rotations, four for each of the four rounds. */
const ROTATIONS = Int32Array.of(7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21);
const SINES = Int32Array.from({ length: 64 }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0);

const state = new Int32Array(4);
const words = new Int32Array(BLOCK_BYTES / 4);
const tail = Buffer.alloc(2 * BLOCK_BYTES);

/** Writes the digest of `bytes[from, to)` into the first four words of `target`. */
export function digestKey(bytes: Buffer, range: { from: number; to: number }, target: Int32Array): void {
  const { from, to } = range;
  state[0] = 0x67452301;
  state[1] = 0xefcdab89 | 0;
  state[2] = 0x98badcfe | 0;
  state[3] = 0x10325476;
  let at = from;
  for (; to - at >= BLOCK_BYTES; at += BLOCK_BYTES) absorb(bytes, at);
  const rest = to - at;
  const tailBytes = rest + TAIL_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  tail.fill(0, rest, tailBytes);
  bytes.copy(tail, 0, at, to);
  tail[rest] = 0x80;
  const bits = (to - from) * 8;
  tail.writeUInt32LE(bits >>> 0, tailBytes - 8);
  tail.writeUInt32LE(Math.floor(bits / 2 ** 32), tailBytes - 4);
  absorb(tail, 0);
  if (tailBytes > BLOCK_BYTES) absorb(tail, BLOCK_BYTES);
  target[0] = state[0]!;
  target[1] = state[1]!;
  target[2] = state[2]!;
  target[3] = state[3]!;
}

/** Takes one block into the state. */
function absorb(bytes: Buffer, at: number): void {
  for (let i = 0; i < words.length; i++) {
    const p = at + i * 4;
    words[i] = bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16) | (bytes[p + 3]! << 24);
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  for (let step = 0; step < 64; step++) {
    let mixed: number;
    let word: number;
    if (step < 16) {
      mixed = (b & c) | (~b & d);
      word = step;
    } else if (step < 32) {
      mixed = (d & b) | (~d & c);
      word = (5 * step + 1) & 15;
    } else if (step < 48) {
      mixed = b ^ c ^ d;
      word = (3 * step + 5) & 15;
    } else {
      mixed = c ^ (b | ~d);
      word = (7 * step) & 15;
    }
    const sum = (a + mixed + SINES[step]! + words[word]!) | 0;
    const rotation = ROTATIONS[((step >> 4) << 2) | (step & 3)]!;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << rotation) | (sum >>> (32 - rotation)))) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
}
