/**
 * From a frame to its answer: header, version, body, handler, encoding. Owns the one try/catch of the request path and
 * what ends a connection: an unknown key or version, a malformed body, a bug. Does not own order (`net/connection.ts`
 * with `overlap-table.ts`) nor anything that a handler decides.
 */
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
import { mayOverlap } from './overlap-table';
import {
  CLOSE_CONNECTION,
  type Handler,
  type HandlerAnswer,
  NO_ANSWER,
  type RequestContext,
  type Staged,
} from './request-context';

/** One row of the handler table. */
export interface ServedApi {
  readonly api: Api<unknown, unknown>;
  readonly handle: Handler<unknown, unknown>;
}

export interface DispatcherOptions {
  readonly handlers: readonly ServedApi[];
  readonly services: BrokerServices;
  readonly observer: RequestObserver;
}

/** Someone who watches what clients ask. */
export interface RequestObserver {
  /** A request is about to be handled. */
  onRequest(apiKey: number, connection: ConnectionInfo): void;
  /** The connection is gone or about to be. */
  onClose(connection: ConnectionInfo): void;
}

/** A request that is ready to be handled. */
interface Call {
  readonly header: RequestHeader;
  readonly request: unknown;
  readonly connection: ConnectionInfo;
  readonly waits: ConnectionWaits;
}

const NOTHING: Answer = { chunks: [], closeAfter: false, muteMs: 0 };
const CLOSE: Answer = { chunks: [], closeAfter: true, muteMs: 0 };
const LENGTH_PLACEHOLDER = 0;
const NO_KEY = -1;

export class Dispatcher implements ConnectionHandler {
  readonly #rows: (ServedApi | undefined)[] = [];
  readonly #services: BrokerServices;
  readonly #logger: Logger;
  readonly #observer: RequestObserver;

  constructor(options: DispatcherOptions) {
    for (const row of options.handlers) this.#rows[row.api.key] = row;
    this.#services = options.services;
    this.#logger = options.services.logger;
    this.#observer = options.observer;
  }

  open(connection: ConnectionInfo): ConnectionSession {
    const waits = new ConnectionWaits();
    return {
      mayOverlap: (earlier, frame) => mayOverlap(earlier, apiKeyOf(frame)),
      serve: (frame) => this.#serve(frame, connection, waits),
      cancelWaits: () => {
        waits.cancel();
        this.#observer.onClose(connection);
      },
    };
  }

  #serve(frame: Buffer, connection: ConnectionInfo, waits: ConnectionWaits): Served {
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
      const answer = encode({ ...header, apiVersion: 0 }, unsupportedApiVersions(api));
      return { kind: apiKey, firstStage: undefined, answer: Promise.resolve(answer) };
    }
    let request: unknown;
    try {
      request = api.decodeRequest(header.bodyReader, apiVersion);
    } catch (error) {
      return this.#refuse(connection, apiKey, error);
    }
    this.#observer.onRequest(apiKey, connection);
    return this.#handle(row, { header, request, connection, waits });
  }

  #handle(row: ServedApi, { header, request, connection, waits }: Call): Served {
    const wait = waits.begin();
    const context: RequestContext = {
      apiKey: header.apiKey,
      apiVersion: header.apiVersion,
      correlationId: header.correlationId,
      clientId: header.clientId,
      connection,
      broker: this.#services,
      receivedAtMs: this.#services.clock.nowMs(),
      onClose: (run) => wait.onCancel(run),
    };
    const end = (response: HandlerAnswer<unknown>): Answer => {
      wait.end();
      return encode(header, response);
    };
    const fail = (error: unknown): Answer => {
      wait.end();
      return this.#failed(header, connection, error);
    };
    try {
      const outcome = row.handle(context, request);
      const staged = isStaged(outcome);
      const answer = staged ? outcome.answer : outcome;
      return {
        kind: header.apiKey,
        firstStage: staged ? outcome.firstStage : undefined,
        answer: answer instanceof Promise ? answer.then(end).catch(fail) : Promise.resolve(end(answer)),
      };
    } catch (error) {
      return { kind: header.apiKey, firstStage: undefined, answer: Promise.resolve(fail(error)) };
    }
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
    return { kind: apiKey, firstStage: undefined, answer: Promise.resolve(CLOSE) };
  }

  #failed(header: RequestHeader, connection: ConnectionInfo, error: unknown): Answer {
    const request = { api: header.api.name, version: header.apiVersion, clientId: header.clientId };
    if (error instanceof MalformedMessage) {
      const reason = error.message;
      this.#logger.warn('request refused; closing the connection', { ...peer(connection), ...request, reason });
    } else {
      this.#logger.error('a handler failed; closing the connection', { ...peer(connection), ...request, error });
    }
    return CLOSE;
  }
}

function encode(header: RequestHeader, response: HandlerAnswer<unknown>): Answer {
  if (response === NO_ANSWER) return NOTHING;
  if (response === CLOSE_CONNECTION) return CLOSE;
  const writer = new Writer();
  writer.int32(LENGTH_PLACEHOLDER);
  encodeResponseHeader(writer, header);
  header.api.encodeResponse(writer, response, header.apiVersion);
  return { chunks: writer.finishFrame(), closeAfter: false, muteMs: 0 };
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
