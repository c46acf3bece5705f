/**
 * What is measured of a request, and who is told. Owns the shapes only: `dispatcher.ts` measures what it does,
 * `net` says when the answer went out. There is one object for each request and no other.
 */
import type { AnswerTiming, ConnectionInfo } from '../base/transport';
import type { RequestHeader } from '../codec/header';

/** Who made a measurement: has the clock, and passes on what `net` tells. */
export interface MeasuredBy {
  monotonicMs(): number;
  onSent(measurement: RequestMeasurement): void;
}

/** One request, from its arrival to the last byte of its answer. Times are the monotonic clock's; 0: not yet. */
export class RequestMeasurement implements AnswerTiming {
  readonly header: RequestHeader;
  readonly connection: ConnectionInfo;
  /** Size of the frame without its length. */
  readonly requestBytes: number;
  /** When the frame had come in whole. */
  readonly arrivedAtMs: number;
  readonly startedAtMs: number;
  readonly #by: MeasuredBy;
  /**
   * For how long decoding, the handler's own part and encoding held the event loop. What the handler waited for is not
   * in it, nor what was done for many requests at once meanwhile. Before the answer: without the encoding.
   */
  loopMs = 0;
  /** When the answer was encoded. */
  answeredAtMs = 0;
  /** When all earlier answers of the connection were out of the way. */
  handedOverAtMs = 0;
  /** When the operating system had taken all of the answer. */
  sentAtMs = 0;
  /** For how long the connection is not read afterwards: a quota is exceeded. */
  throttleMs = 0;
  /** Size of the answer, its length included; 0 where nothing is sent. */
  responseBytes = 0;

  constructor(
    by: MeasuredBy,
    o: Pick<RequestMeasurement, 'header' | 'connection' | 'requestBytes' | 'arrivedAtMs' | 'startedAtMs'>,
  ) {
    this.#by = by;
    this.header = o.header;
    this.connection = o.connection;
    this.requestBytes = o.requestBytes;
    this.arrivedAtMs = o.arrivedAtMs;
    this.startedAtMs = o.startedAtMs;
  }

  /** For how long the request waited for its turn (Kafka: request queue time). */
  get queuedMs(): number {
    return Math.max(0, this.startedAtMs - this.arrivedAtMs);
  }

  /** For how long it waited while others were served: for the disk, for records to come (Kafka: remote time). */
  get waitedMs(): number {
    return Math.max(0, this.answeredAtMs - this.startedAtMs - this.loopMs);
  }

  onHandedOver(): void {
    this.handedOverAtMs = this.#by.monotonicMs();
  }

  onSent(): void {
    this.sentAtMs = this.#by.monotonicMs();
    this.#by.onSent(this);
  }
}

/** Someone who watches what clients ask. Must be quick, and must not throw. */
export interface RequestObserver {
  /** A request is about to be handled. */
  onRequest?(apiKey: number, connection: ConnectionInfo): void;
  /** The answer of a request is ready to be sent, if there is one; told also where the connection closes instead. */
  onAnswer?(measurement: RequestMeasurement): void;
  /** The answer has gone out whole. Not told where the connection is cut before. */
  onSent?(measurement: RequestMeasurement): void;
  /** The connection is gone or about to be. */
  onClose?(connection: ConnectionInfo): void;
}
