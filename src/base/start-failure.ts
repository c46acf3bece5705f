/**
 * Why a broker cannot start, for the person who starts it: a setting, a directory, an address that is taken. The
 * message is all that is printed; anything else that is thrown during a start is a bug and comes with its stack.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
