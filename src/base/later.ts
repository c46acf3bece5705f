/**
 * A value that will be there once: a promise for the way of a request, told at once instead of in a turn of its own,
 * since promises and their turns are a third of what a small request costs. Whoever waits for it runs within `settle`,
 * so it must not throw, and what settles many of them must have put its own affairs in order before.
 * Invariants: it settles once; what is derived by `map` turns an error of its function into a failure.
 */
import { assert } from './assert';

type State = 'open' | 'there' | 'failed';

export class Later<T> {
  #state: State = 'open';
  #value: T | undefined;
  #error: unknown;
  #onValue: ((value: T) => void) | undefined;
  #onFailure: ((error: unknown) => void) | undefined;

  /** One that is there already. */
  static of<T>(value: T): Later<T> {
    const later = new Later<T>();
    later.settle(value);
    return later;
  }

  /** All of them, in their order; fails with the first that fails, once all are there. */
  static all<T>(laters: readonly Later<T>[]): Later<T[]> {
    const all = new Later<T[]>();
    const values = new Array<T>(laters.length);
    let missing = laters.length;
    let failure: { readonly error: unknown } | undefined;
    const onOne = (): void => {
      missing--;
      if (missing > 0) return;
      if (failure) all.fail(failure.error);
      else all.settle(values);
    };
    laters.forEach((later, index) => {
      later.whenThere(
        (value) => {
          values[index] = value;
          onOne();
        },
        (error) => {
          failure ??= { error };
          onOne();
        },
      );
    });
    if (laters.length === 0) all.settle(values);
    return all;
  }

  static from<T>(promise: Promise<T>): Later<T> {
    const later = new Later<T>();
    promise.then(
      (value) => later.settle(value),
      (error: unknown) => later.fail(error),
    );
    return later;
  }

  get isThere(): boolean {
    return this.#state !== 'open';
  }

  settle(value: T): void {
    assert(this.#state === 'open', 'a value is there once');
    this.#state = 'there';
    this.#value = value;
    this.#onValue?.(value);
  }

  /** For bugs: what a client must hear is a value. */
  fail(error: unknown): void {
    assert(this.#state === 'open', 'a value is there once');
    this.#state = 'failed';
    this.#error = error;
    this.#onFailure?.(error);
  }

  /** Runs one of both, once: at once where it is there already. There is one who waits. */
  whenThere(onValue: (value: T) => void, onFailure: (error: unknown) => void): void {
    if (this.#state === 'there') {
      onValue(this.#value as T);
    } else if (this.#state === 'failed') {
      onFailure(this.#error);
    } else {
      assert(this.#onValue === undefined, 'one waits for a value');
      this.#onValue = onValue;
      this.#onFailure = onFailure;
    }
  }

  map<U>(change: (value: T) => U): Later<U> {
    const changed = new Later<U>();
    this.whenThere(
      (value) => {
        let result: U;
        try {
          result = change(value);
        } catch (error) {
          changed.fail(error);
          return;
        }
        changed.settle(result);
      },
      (error) => changed.fail(error),
    );
    return changed;
  }

  /** For those who can wait for a promise's turn. */
  promise(): Promise<T> {
    return new Promise((resolve, reject) => this.whenThere(resolve, reject));
  }
}
