/**
 * What is measured of a request, and who is told. Owns the shapes only: `dispatcher.ts` measures, and nothing is
 * allocated for it but the one object per request that the answer needs anyway.
 */
import type { ConnectionInfo } from '../base/transport';
import type { RequestHeader } from '../codec/header';

/** One request, from its first byte of work to its answer. Times are the monotonic clock's. */
export class RequestMeasurement {
  readonly header: RequestHeader;
  readonly connection: ConnectionInfo;
  /** Size of the frame without its length. */
  readonly requestBytes: number;
  readonly startedAtMs: number;
  /** When the answer was encoded; 0 before. */
  answeredAtMs = 0;
  /**
   * For how long decoding, the handler's own part and encoding held the event loop. What the handler waited for is not
   * in it, nor what was done for many requests at once meanwhile. Before the answer: without the encoding.
   */
  loopMs = 0;
  /** Size of the answer, its length included; 0 where nothing is sent. */
  responseBytes = 0;

  constructor(o: Pick<RequestMeasurement, 'header' | 'connection' | 'requestBytes' | 'startedAtMs'>) {
    this.header = o.header;
    this.connection = o.connection;
    this.requestBytes = o.requestBytes;
    this.startedAtMs = o.startedAtMs;
  }

  /** For how long the request waited while others were served: for an acknowledgement, for records to come. */
  get waitedMs(): number {
    return Math.max(0, this.answeredAtMs - this.startedAtMs - this.loopMs);
  }
}

/** Someone who watches what clients ask. Must be quick, and must not throw. */
export interface RequestObserver {
  /** A request is about to be handled. */
  onRequest?(apiKey: number, connection: ConnectionInfo): void;
  /** The answer of a request is ready to be sent, if there is one; told also where the connection closes instead. */
  onAnswer?(measurement: RequestMeasurement): void;
  /** The connection is gone or about to be. */
  onClose?(connection: ConnectionInfo): void;
}
