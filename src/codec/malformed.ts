/** The one error that leaves the codec: bytes that are not what they claim to be. Never a bug of ours. */

export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}
