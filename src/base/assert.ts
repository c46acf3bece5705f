/**
 * Assertions: statements about our own code that must hold. A failure is a bug of ours, never an answer to bad input;
 * the request path turns it into UNKNOWN_SERVER_ERROR. They stay on in production.
 */

export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

/** Throws `AssertionFailure` with `message` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message);
}

/** Marks the branch of a total switch that the compiler proves empty. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}
