/**
 * What passes between the sockets and the request path: connections, frames and their answers. Declares only; `net`
 * implements the sockets and `api` the handler, and neither knows the other.
 */
import type { Chunk } from './chunk';
import type { Later } from './later';

/** One accepted connection, as far as the request path may know it. */
export interface ConnectionInfo {
  /** Unique in the life of this process. */
  readonly id: number;
  /** The name of the listener that accepted it: `PLAINTEXT`, `INTERNAL`… */
  readonly listenerName: string;
  /** The address of our end of the socket, without the prefix of an IPv4-mapped IPv6 address. */
  readonly localAddress: string;
  readonly localPort: number;
  readonly peerAddress: string;
  readonly peerPort: number;
}

/** Whoever measures how an answer went out. Told each thing at most once; an answer that is cut is never sent. */
export interface AnswerTiming {
  /** Earlier answers are out of the way. */
  onHandedOver(): void;
  /** The operating system has taken its last byte. */
  onSent(): void;
}

/** What to send for one request. */
export interface Answer {
  /** The whole frame, length prefix included; empty to send nothing. Whoever sends it releases its file regions. */
  readonly chunks: readonly Chunk[];
  /** Close once this answer, and all answers before it, have been sent. */
  readonly closeAfter: boolean;
  /** Read nothing and start no request of this connection for so long after the answer was handed over (quotas). */
  readonly muteMs: number;
  readonly timing?: AnswerTiming | undefined;
  /** Nobody will look at the request's frame any more: its memory may be used for another. */
  readonly frameIsFree?: boolean;
}

/** A request that was started. */
export interface Served {
  /** What the request is, for `mayOverlap`. */
  readonly kind: number;
  /** There when a following request may start that `mayOverlap` allows; undefined where none may. */
  readonly firstStage: Later<void> | undefined;
  /** Never fails but for a bug. */
  readonly answer: Later<Answer>;
}

/** The request path's half of one connection. */
export interface ConnectionSession {
  /**
   * Whether requests may be read while others of the connection are in work; asked again and again. False for a client
   * that may have to pause: what is read and must wait takes memory from others.
   */
  readonly readsAhead: boolean;
  /**
   * Whether the request in `frame` may start while one of kind `earlier` that passed its first stage has no answer
   * yet.
   */
  mayOverlap(earlier: number, frame: Buffer): boolean;
  /**
   * Starts the request in `frame` (without its length prefix), which had arrived whole at `arrivedAtMs` of the
   * monotonic clock. Called in the order of arrival; never throws.
   */
  serve(frame: Buffer, arrivedAtMs: number): Served;
  /** Ends the waits of requests that have no answer yet: their connection is gone or about to be. */
  cancelWaits(): void;
}

export interface ConnectionHandler {
  open(connection: ConnectionInfo): ConnectionSession;
}

/** Who decides how fast connections may come (KIP-612). Times in milliseconds; 0 for at once. */
export interface ConnectionAdmission {
  /** A further connection has come to a listener, and is counted: how long it and all behind it must wait. */
  delayMs(listenerName: string): number;
  /** It has waited: for how long it is kept before it is closed unserved; 0: it is served. */
  refusalMs(listenerName: string, peerAddress: string): number;
}

/** The connections of one listener: those that are open, and all that ever were. */
export interface ListenerCounts {
  readonly listener: string;
  open: number;
  created: number;
  closed: number;
}

/** What can be told of all sockets at this moment. */
export interface NetworkNumbers {
  readonly listeners: readonly Readonly<ListenerCounts>[];
  /** Those that are open. */
  readonly connections: readonly ConnectionInfo[];
  /** Requests that have come in whole and whose turn has not come. */
  readonly waitingRequests: number;
  /** Requests that are being served or whose answer waits for that of an earlier one. */
  readonly runningRequests: number;
  /** The budget for requests in memory, and what of it is taken. */
  readonly requestMemoryBytes: number;
  readonly requestMemoryUsedBytes: number;
}
