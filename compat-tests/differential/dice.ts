/** Chance from a seed: the same seed, the same throws. */

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer in [0, below). (mulberry32) */
  integer(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + this.integer(to - from + 1);
  }

  /** True once in `times` throws. */
  oneIn(times: number): boolean {
    return this.integer(times) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.integer(choices.length)];
    if (chosen === undefined && choices.length === 0) throw new Error('nothing to pick from');
    return chosen as T;
  }

  /** Some of them, in order, at least one. */
  some<T>(choices: readonly T[]): T[] {
    const chosen = choices.filter(() => this.oneIn(2));
    return chosen.length > 0 ? chosen : [this.pick(choices)];
  }
}
