/**
 * Regular expressions that somebody else chose, tried on texts that somebody else chose: in time that is proportional
 * to the text, which the engine's own are not (one pattern and one name would hold the event loop for ever). Owns the
 * bound on the size of patterns. The syntax is RE2's: Java's without looking around and without references back. re2js
 * is loaded with the first pattern: few brokers have one.
 */
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
  const { RE2JS, RE2JSException } = require('re2js') as typeof import('re2js');
  try {
    const pattern = RE2JS.compile(source);
    return pattern.programSize() > LARGEST_PROGRAM ? undefined : pattern;
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
