/**
 * What an accepted socket receives, read into one buffer that all sockets share: a fresh buffer of 64 KB for each read,
 * as Node makes by default, costs more than the reading. Nothing but the event loop fills the buffer and it is emptied
 * within the same call, so nobody else sees it.
 * Node reads that way for sockets that a program opens (`onread` of `net.Socket`), not for those that a server accepts:
 * the connection of the accepted socket is put into one of the first kind. Where that cannot be done (its handle is no
 * documented part of Node), bytes come by `data` events as usual.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

/** What one read brings at most. */
export const READ_BYTES = 128 * 1024;

const shared = Buffer.allocUnsafeSlow(READ_BYTES);

/** The operating system's end of a socket, as far as it is used here. */
interface SocketHandle {
  readonly useUserBuffer?: unknown;
}

type WithHandle = Socket & { _handle?: SocketHandle | null };

/**
 * Gives the socket to use instead of `accepted`, which must not have begun to read (`pauseOnConnect`). `onBytes` is
 * called with each piece that comes in once the socket is resumed; the piece is only valid during the call.
 */
export function openInput(accepted: Socket, onBytes: (piece: Buffer) => void): Socket {
  const { _handle: handle } = accepted as WithHandle;
  if (typeof handle?.useUserBuffer !== 'function') {
    accepted.on('data', onBytes);
    return accepted;
  }
  (accepted as WithHandle)._handle = null;
  accepted.destroy();
  const callback = (bytes: number): boolean => {
    onBytes(shared.subarray(0, bytes));
    return true;
  };
  const options = { handle, allowHalfOpen: true, onread: { buffer: shared, callback } };
  return new Socket(options as SocketConstructorOpts);
}
