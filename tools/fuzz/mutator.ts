/**
 * Hostile bytes from well-formed ones: seeded, fast, in one buffer that is used again and again. Owns the kinds of
 * damage: cut off, overwritten, lengths beyond everything, varints without end, parts of other messages, plain noise.
 */

/** Bytes that mean much at the start of a length: nothing, null, the largest numbers, varints that go on. */
const TELLING_BYTES = [0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff];
const TELLING_INTEGERS = [0, -1, -2, 1, 0x7f, 0x7fff, 0x7fffffff, -0x80000000, 0x10000, 0xffffff];
const LONGEST_NOISE = 300;
const MOST_CHANGES = 3;

/** xorshift of 32 bits: good enough for noise, and quick. */
export class Noise {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0 || 1;
  }

  /** A whole number from 0 up to below `below`. */
  below(below: number): number {
    let { state } = this;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state;
    return Math.floor(((state >>> 0) / 4294967296) * below);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

export class Mutator {
  private readonly scratch: Buffer;
  private size = 0;

  /** `longest`: of the bytes that it is given. */
  constructor(
    private readonly noise: Noise,
    longest: number,
  ) {
    this.scratch = Buffer.alloc(2 * longest + LONGEST_NOISE);
  }

  /** Damaged bytes; valid until the next call. `other` gives parts that belong elsewhere. */
  damage(original: Buffer, other: Buffer): Buffer {
    this.size = original.copy(this.scratch);
    if (this.noise.below(20) === 0) this.fill();
    else for (let left = 1 + this.noise.below(MOST_CHANGES); left > 0; left--) this.change(other);
    return this.scratch.subarray(0, this.size);
  }

  private fill(): void {
    this.size = this.noise.below(LONGEST_NOISE);
    for (let at = 0; at < this.size; at++) this.scratch[at] = this.noise.below(256);
  }

  private change(other: Buffer): void {
    if (this.size === 0) {
      this.fill();
      return;
    }
    const at = this.noise.below(this.size);
    switch (this.noise.below(8)) {
      case 0:
        this.size = at;
        break;
      case 1:
      case 2:
        this.scratch[at] = this.noise.pick(TELLING_BYTES);
        break;
      case 3:
        this.scratch[at] = this.noise.below(256);
        break;
      case 4:
        if (at + 4 <= this.size) this.scratch.writeInt32BE(this.noise.pick(TELLING_INTEGERS), at);
        break;
      case 5:
        // A varint that does not end, as far as there is room.
        this.scratch.fill(0x80 | this.noise.below(128), at, Math.min(this.size, at + 2 + this.noise.below(9)));
        break;
      case 6:
        this.remove(at, 1 + this.noise.below(8));
        break;
      default:
        this.splice(at, other);
    }
  }

  private remove(at: number, count: number): void {
    const end = Math.min(this.size, at + count);
    this.scratch.copyWithin(at, end, this.size);
    this.size -= end - at;
  }

  /** Writes a stretch of other bytes over these, past the end if it is longer. */
  private splice(at: number, other: Buffer): void {
    const from = this.noise.below(other.length);
    const count = 1 + this.noise.below(Math.min(other.length - from, 64));
    const copied = other.copy(this.scratch, at, from, from + count);
    this.size = Math.max(this.size, at + copied);
  }
}
