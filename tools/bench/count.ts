/** A count from the command line; anything else is refused with its option's name. */
export function count(name: string, word: string): number {
  const value = Number(word);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1, not ${word}`);
  return value;
}
