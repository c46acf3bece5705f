/**
 * The connections of one listener between their acceptance and their service, where they come faster than they may
 * (KIP-612). One after the other: a connection that must wait holds up those behind it, as Kafka's acceptor does. One
 * from an address that makes too many is kept for the time told and then closed unserved, so that its peer does not
 * come back at once. Owns these sockets until they are served; decides nothing about rates.
 */
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock';
import type { ConnectionAdmission } from '../base/transport';

export interface AcceptQueueOptions {
  readonly listenerName: string;
  readonly admission: ConnectionAdmission;
  readonly clock: Clock;
  readonly serve: (socket: Socket) => void;
  readonly addressOf: (socket: Socket) => string | undefined;
}

export class AcceptQueue {
  readonly #o: AcceptQueueOptions;
  readonly #waiting: Socket[] = [];
  /** Sockets that will be closed unserved, with what closes them. */
  readonly #refused = new Map<Socket, Timer>();
  #turn: Timer | undefined;

  constructor(options: AcceptQueueOptions) {
    this.#o = options;
  }

  /** Sockets that are neither served nor closed. */
  get held(): number {
    return this.#waiting.length + this.#refused.size;
  }

  add(socket: Socket): void {
    this.#waiting.push(socket);
    if (this.#waiting.length === 1) this.#next();
    if (this.#waiting.at(-1) === socket) socket.on('error', ignore);
  }

  close(): void {
    this.#turn?.cancel();
    for (const timer of this.#refused.values()) timer.cancel();
    for (const socket of [...this.#waiting.splice(0), ...this.#refused.keys()]) socket.destroy();
    this.#refused.clear();
  }

  /** Lets in those in front until one has to wait. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const delayMs = this.#o.admission.delayMs(this.#o.listenerName);
      if (delayMs > 0) {
        this.#turn = this.#o.clock.schedule(delayMs, () => {
          this.#admit(this.#waiting.shift());
          this.#next();
        });
        return;
      }
      this.#admit(this.#waiting.shift());
    }
  }

  #admit(socket: Socket | undefined): void {
    if (socket === undefined) return;
    const { admission, clock, listenerName, serve, addressOf } = this.#o;
    const address = addressOf(socket);
    const refusalMs = address === undefined ? 0 : admission.refusalMs(listenerName, address);
    if (refusalMs === 0) {
      socket.removeListener('error', ignore);
      serve(socket);
      return;
    }
    socket.on('error', ignore);
    const close = (): void => {
      this.#refused.get(socket)?.cancel();
      this.#refused.delete(socket);
      socket.destroy();
    };
    this.#refused.set(socket, clock.schedule(refusalMs, close));
    socket.once('close', close);
  }
}

/** A peer that gives up while it waits is nobody's business: its socket is seen to be closed when its turn comes. */
function ignore(): void {
  return;
}
