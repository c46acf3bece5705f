/** Errors as values: what a caller must handle, as opposed to bugs (assert) and bad bytes (MalformedMessage). */

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Err<E> {
  readonly ok: false;
  readonly error: E;
  /** Text for the client or the operator: what was wrong and what is allowed. */
  readonly message?: string;
}

export type Result<T, E> = Ok<T> | Err<E>;

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function err<E>(error: E, message?: string): Err<E> {
  return message === undefined ? { ok: false, error } : { ok: false, error, message };
}
