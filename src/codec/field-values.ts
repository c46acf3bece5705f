/** Values that generated code refers to by name: defaults that have no literal, and the type of record bytes. */
import { assert } from '../base/assert';
import type { Chunk } from '../base/chunk';

/** Record batches as they travel: decoding gives a slice of the frame, encoding takes pieces and does not copy them. */
export type Records = Buffer | readonly Chunk[];

export const EMPTY: Buffer = Buffer.alloc(0);

/** Stands for Java's Long.MAX_VALUE: reading saturates to it, writing turns it back. */
export const MAX_INT64 = Number.MAX_SAFE_INTEGER;
/** Stands for Java's Long.MIN_VALUE. */
export const MIN_INT64 = Number.MIN_SAFE_INTEGER;

/** For versions in which a field that may be null elsewhere must have a value. */
export function notNull<T>(value: T | null, field: string): T {
  assert(value !== null, `${field} is null in a version that cannot say so`);
  return value;
}
