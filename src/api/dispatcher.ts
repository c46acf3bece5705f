/**
 * From a frame to its answer: header, version, body, handler, encoding. Owns the one try/catch of the request path and
 * what ends a connection: an unknown key or version, a malformed body, a bug. Does not own order (`net/connection.ts`
 * with `overlap-table.ts`) nor anything that a handler decides.
 */
import type { Clock } from '../base/clock';
import { Later } from '../base/later';
import type { Logger } from '../base/logger';
import type { Answer, ConnectionHandler, ConnectionInfo, ConnectionSession, Served } from '../base/transport';
import type { Api } from '../codec/api';
import { ApiKey } from '../codec/generated/apis';
import { decodeRequestHeader, encodeResponseHeader, type RequestHeader } from '../codec/header';
import { MalformedMessage } from '../codec/malformed';
import { Writer } from '../codec/writer';
import { unsupportedApiVersions } from './api-versions';
import type { BrokerServices } from './broker-services';
import { ConnectionWaits } from './connection-waits';
import { Exchange } from './exchange';
import { mayOverlap } from './overlap-table';
import {
  ANONYMOUS,
  CLOSE_CONNECTION,
  type Handler,
  type HandlerAnswer,
  NO_ANSWER,
  type Staged,
} from './request-context';
import { type MeasuredBy, RequestMeasurement, type RequestObserver } from './request-observer';
import { ConnectionThrottle, withThrottleTime } from './request-throttle';
import { sharedBody } from './shared-answers';

/** One row of the handler table. */
export interface ServedApi {
  readonly api: Api<unknown, unknown>;
  readonly handle: Handler<unknown, unknown>;
}

export interface DispatcherOptions {
  readonly handlers: readonly ServedApi[];
  readonly services: BrokerServices;
  readonly observers: readonly RequestObserver[];
}

/** The other end of a connection. */
interface Peer {
  readonly connection: ConnectionInfo;
  readonly waits: ConnectionWaits;
  readonly throttle: ConnectionThrottle;
}

const CLOSE: Answer = { chunks: [], closeAfter: true, muteMs: 0 };
const LENGTH_PLACEHOLDER = 0;
const NO_KEY = -1;

export class Dispatcher implements ConnectionHandler {
  readonly #rows: (ServedApi | undefined)[] = [];
  readonly #services: BrokerServices;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #observers: readonly RequestObserver[];
  readonly #measuredBy: MeasuredBy;

  constructor(options: DispatcherOptions) {
    for (const row of options.handlers) this.#rows[row.api.key] = row;
    this.#services = options.services;
    this.#logger = options.services.logger;
    this.#clock = options.services.clock;
    this.#observers = options.observers;
    this.#measuredBy = {
      monotonicMs: () => this.#clock.monotonicMs(),
      onSent: (measurement) => {
        for (const observer of this.#observers) observer.onSent?.(measurement);
      },
    };
  }

  open(connection: ConnectionInfo): ConnectionSession {
    const waits = new ConnectionWaits();
    const throttle = new ConnectionThrottle(this.#services.quotas);
    const peer: Peer = { connection, waits, throttle };
    return {
      get readsAhead() {
        return throttle.readsAhead;
      },
      mayOverlap: (earlier, frame) => mayOverlap(earlier, apiKeyOf(frame)),
      serve: (frame, arrivedAtMs) => this.#serve(frame, arrivedAtMs, peer),
      cancelWaits: () => {
        waits.cancel();
        for (const observer of this.#observers) observer.onClose?.(connection);
      },
    };
  }

  #serve(frame: Buffer, arrivedAtMs: number, { connection, waits, throttle }: Peer): Served {
    const startedAtMs = this.#clock.monotonicMs();
    let header: RequestHeader;
    try {
      header = decodeRequestHeader(frame);
    } catch (error) {
      return this.#refuse(connection, apiKeyOf(frame), error);
    }
    const { api, apiKey, apiVersion } = header;
    const row = this.#rows[apiKey];
    if (row === undefined) return this.#refuse(connection, apiKey, `${api.name} is not served`);
    if (apiVersion < api.minVersion || apiVersion > api.maxVersion) {
      if (apiKey !== ApiKey.ApiVersions) {
        return this.#refuse(connection, apiKey, `${api.name} has no version ${apiVersion} here`);
      }
      // The client cannot know our versions yet: the answer is one that every client can read (KIP-511).
      const chunks = encode({ ...header, apiVersion: 0 }, unsupportedApiVersions(api));
      return {
        kind: apiKey,
        firstStage: undefined,
        answer: Later.of<Answer>({ chunks, closeAfter: false, muteMs: 0 }),
      };
    }
    let request: unknown;
    try {
      request = api.decodeRequest(header.bodyReader, apiVersion);
    } catch (error) {
      return this.#refuse(connection, apiKey, error);
    }
    for (const observer of this.#observers) observer.onRequest?.(apiKey, connection);
    const measured = { header, connection, requestBytes: frame.length, arrivedAtMs, startedAtMs };
    const measurement = new RequestMeasurement(this.#measuredBy, measured);
    const metered = throttle.begin(measurement, ANONYMOUS);
    return this.#handle(row, request, new Exchange(measurement, { broker: this.#services, waits, metered }));
  }

  #handle(row: ServedApi, request: unknown, exchange: Exchange): Served {
    const { measurement, metered, answer } = exchange;
    const kind = exchange.apiKey;
    let outcome: ReturnType<ServedApi['handle']>;
    try {
      outcome = row.handle(exchange, request);
    } catch (error) {
      this.#fail(exchange, error);
      return { kind, firstStage: undefined, answer };
    }
    measurement.loopMs = this.#clock.monotonicMs() - measurement.startedAtMs;
    if (isStaged(outcome)) {
      outcome.answer.whenThere(
        (response) => this.#end(exchange, response),
        (error) => this.#fail(exchange, error),
      );
      // One that may have to pause starts nothing before it has its answer.
      return { kind, firstStage: metered === undefined ? outcome.firstStage : undefined, answer };
    }
    if (outcome instanceof Promise) {
      outcome.then(
        (response) => this.#end(exchange, response),
        (error: unknown) => this.#fail(exchange, error),
      );
    } else {
      this.#end(exchange, outcome);
    }
    return { kind, firstStage: undefined, answer };
  }

  #end(exchange: Exchange, response: HandlerAnswer<unknown>): void {
    exchange.endWaits();
    let answer: Answer;
    try {
      answer = this.#encode(exchange, response);
    } catch (error) {
      answer = this.#failed(exchange, error);
    }
    exchange.answer.settle(answer);
  }

  #fail(exchange: Exchange, error: unknown): void {
    exchange.endWaits();
    exchange.answer.settle(this.#failed(exchange, error));
  }

  #encode({ measurement, metered }: Exchange, response: HandlerAnswer<unknown>): Answer {
    const sinceMs = this.#clock.monotonicMs();
    const muteMs = metered?.pauseMs(response) ?? 0;
    const answer = answerOf(measurement, withThrottleTime(response, muteMs), muteMs);
    const untilMs = this.#clock.monotonicMs();
    measurement.loopMs += untilMs - sinceMs;
    metered?.encoded(response);
    this.#onAnswer(measurement, answer, untilMs);
    return answer;
  }

  #onAnswer(measurement: RequestMeasurement, { chunks, muteMs }: Answer, answeredAtMs: number): void {
    measurement.throttleMs = muteMs;
    measurement.answeredAtMs = answeredAtMs;
    for (const chunk of chunks) measurement.responseBytes += chunk.length;
    for (const observer of this.#observers) observer.onAnswer?.(measurement);
  }

  /** What cannot be understood is not answered: nothing says how an answer would have to look. */
  #refuse(connection: ConnectionInfo, apiKey: number, reason: unknown): Served {
    if (reason instanceof Error && !(reason instanceof MalformedMessage)) {
      this.#logger.error('decoding a request failed; closing the connection', {
        ...peer(connection),
        apiKey,
        error: reason,
      });
    } else {
      const text = reason instanceof Error ? reason.message : reason;
      this.#logger.warn('request refused; closing the connection', { ...peer(connection), apiKey, reason: text });
    }
    return { kind: apiKey, firstStage: undefined, answer: Later.of(CLOSE) };
  }

  /** A bug, or bytes that turned out bad: logged, and the end of the connection. */
  #failed({ measurement }: Exchange, error: unknown): Answer {
    const { header, connection } = measurement;
    const request = { api: header.api.name, version: header.apiVersion, clientId: header.clientId };
    if (error instanceof MalformedMessage) {
      const reason = error.message;
      this.#logger.warn('request refused; closing the connection', { ...peer(connection), ...request, reason });
    } else {
      this.#logger.error('a handler failed; closing the connection', { ...peer(connection), ...request, error });
    }
    this.#onAnswer(measurement, CLOSE, this.#clock.monotonicMs());
    return CLOSE;
  }
}

function answerOf(measurement: RequestMeasurement, response: HandlerAnswer<unknown>, muteMs: number): Answer {
  if (response === CLOSE_CONNECTION) return CLOSE;
  const chunks = response === NO_ANSWER ? [] : encode(measurement.header, response);
  // The records of a Produce are in the log, or refused, by now. Of other requests parts may be kept.
  const frameIsFree = measurement.header.apiKey === ApiKey.Produce;
  return { chunks, closeAfter: false, muteMs, timing: measurement, frameIsFree };
}

function encode(header: RequestHeader, response: unknown): Answer['chunks'] {
  const writer = new Writer();
  writer.int32(LENGTH_PLACEHOLDER);
  encodeResponseHeader(writer, header);
  const shared = sharedBody(response, (body) => header.api.encodeResponse(body, response, header.apiVersion));
  if (shared) writer.uncopied(shared);
  else header.api.encodeResponse(writer, response, header.apiVersion);
  return writer.finishFrame();
}

function isStaged(outcome: unknown): outcome is Staged<unknown> {
  return typeof outcome === 'object' && outcome !== null && 'staged' in outcome;
}

function apiKeyOf(frame: Buffer): number {
  return frame.length < 2 ? NO_KEY : frame.readInt16BE(0);
}

function peer(connection: ConnectionInfo): { listener: string; peer: string } {
  return { listener: connection.listenerName, peer: `${connection.peerAddress}:${connection.peerPort}` };
}
