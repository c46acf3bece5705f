/**
 * Regular expressions that somebody else chose, tried on texts that somebody else chose: in time that is proportional
 * to the text, which the engine's own are not (one pattern and one name would hold the event loop for ever). Owns the
 * bound on the size of patterns. The syntax is RE2's: Java's without looking around and without references back.
 */
import { RE2JS, RE2JSException } from 're2js';

const LONGEST_SOURCE = 1000;
/** Steps that each character of a text may take. */
const LARGEST_PROGRAM = 1000;

export interface LinearPattern {
  /** Whether all of `text` matches. */
  matches(text: string): boolean;
}

/** Undefined where `source` is no pattern, or too large. */
export function linearPattern(source: string): LinearPattern | undefined {
  if (source.length > LONGEST_SOURCE) return undefined;
  try {
    const pattern = RE2JS.compile(source);
    return pattern.programSize() > LARGEST_PROGRAM ? undefined : pattern;
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
