/**
 * Clients that ask and never read: each sends Fetch requests for a megabyte and takes nothing of the answers, so that
 * they stay with the broker. Owns the connections.
 */
import { connect, type Socket } from 'node:net';
import { fetchFrame } from '../load/frames';

/** More than any broker should prepare answers for. */
const REQUESTS = 20;

export class DeafReaders {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #count: number;
  readonly #sockets: Socket[] = [];
  #next = 0;

  /** So many of them on the broker at that port of 127.0.0.1, fetching the start of `topic`. */
  constructor(port: number, o: { topic: string; count: number }) {
    this.#port = port;
    this.#request = fetchFrame(o.topic).frame;
    this.#count = o.count;
    for (let at = 0; at < o.count; at++) this.#sockets.push(this.#open());
  }

  /** Closes so many of them, the oldest first, and opens others: clients come and go with answers untaken. */
  replace(count: number): void {
    for (let i = 0; i < count; i++, this.#next = (this.#next + 1) % this.#count) {
      this.#sockets[this.#next]?.destroy();
      this.#sockets[this.#next] = this.#open();
    }
  }

  /** Those that the broker has not closed. */
  get open(): number {
    return this.#sockets.filter(({ destroyed }) => !destroyed).length;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1' });
    socket.pause();
    // The broker may well have enough of such a client; `open` tells it.
    socket.on('error', () => socket.destroy());
    for (let at = 0; at < REQUESTS; at++) socket.write(this.#request);
    return socket;
  }
}
