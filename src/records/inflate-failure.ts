/** Why compressed bytes could not be inflated; shared by the codecs. */

/**
 * They are not what the codec calls for, they would become more than was allowed, or the codec bits have no meaning.
 */
export type InflateFailure = 'corrupt' | 'too-large' | 'unknown-codec';

/** What an exception of node:zlib says about its input. */
export function inflateFailureOf(error: unknown): InflateFailure {
  const tooLarge =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
  return tooLarge ? 'too-large' : 'corrupt';
}
