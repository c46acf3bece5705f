/**
 * 64-bit integers: between the two 32-bit halves of the wire and JavaScript values. Owns the only use of `long`,
 * which loads when a tool first asks for it. Numbers serve the broker (offsets and milliseconds stay below 2^53);
 * `Long` serves tools that must keep every bit.
 */
import type Long from 'long';
import { MAX_INT64, MIN_INT64 } from './field-values';

const TWO_32 = 4294967296;
/** High halves of values within ±(2^53 - 1) lie in [LOWEST_HIGH, HIGHEST_HIGH]. */
const HIGHEST_HIGH = 0x1fffff;
const LOWEST_HIGH = -0x200000;

/** The number nearest to `high` (signed) and `low` (unsigned) within ±(2^53 - 1). */
export function saturatingInt64(high: number, low: number): number {
  if (high > HIGHEST_HIGH) return MAX_INT64;
  if (high < LOWEST_HIGH || (high === LOWEST_HIGH && low === 0)) return MIN_INT64;
  return high * TWO_32 + low;
}

/** Whether `saturatingInt64` gives the value itself and no saturated one. */
export function isSafeInt64(high: number, low: number): boolean {
  return Math.abs(saturatingInt64(high, low)) < MAX_INT64;
}

/** What `Long` looks like: any 64-bit value in two halves, `high` signed. */
export interface Int64Halves {
  readonly high: number;
  readonly low: number;
}

let longClass: typeof Long | undefined;

export function longOf(high: number, low: number): Long {
  longClass ??= require('long') as typeof Long;
  return new longClass(low | 0, high, false);
}

/** From decimal digits with an optional minus sign. */
export function longFromText(text: string): Long {
  longClass ??= require('long') as typeof Long;
  return longClass.fromString(text);
}

/** All digits of an int64 as a reader gave it: a number, saturated at both ends, or a `Long`. */
export function int64Text(value: number | Int64Halves): string {
  if (typeof value !== 'number') return longOf(value.high, value.low).toString();
  if (value === MAX_INT64) return '9223372036854775807';
  return value === MIN_INT64 ? '-9223372036854775808' : String(value);
}
