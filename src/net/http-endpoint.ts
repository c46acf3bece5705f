/**
 * A small HTTP server for operators' tools: GET and HEAD of a few paths, answers in pieces. Owns what bounds its
 * clients: their number, the size and time of their requests, the time in which they must take an answer, one answer at
 * a time for each. Knows no path; no bodies come in.
 * Invariants: a client holds at most a piece of an answer in memory; none holds a connection without progress for long.
 */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from '../base/logger';
import { StartFailure } from '../base/start-failure';

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | AsyncIterable<string>;
}

/** Gives the answer for a path, without its query; undefined where there is none. */
export type HttpHandler = (path: string) => Promise<HttpAnswer | undefined>;

export interface HttpEndpointOptions {
  /** Empty for all addresses. */
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly handler: HttpHandler;
  readonly logger: Logger;
  /** For tests: how long a client may do nothing. */
  readonly idleMs?: number;
}

const MAX_CONNECTIONS = 32;
const MAX_HEADER_BYTES = 8192;
const MAX_HEADERS = 50;
const IDLE_MS = 10_000;
const CLOSING: ReadonlySet<number> = new Set([405, 413, 429]);
const TEXT = 'text/plain; charset=utf-8';

export class HttpEndpoint {
  readonly #server: HttpServer;
  readonly #handler: HttpHandler;
  readonly #logger: Logger;

  private constructor({ handler, logger, idleMs = IDLE_MS }: HttpEndpointOptions) {
    this.#handler = handler;
    this.#logger = logger;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: idleMs,
        requestTimeout: idleMs,
        connectionsCheckingInterval: Math.max(100, idleMs / 10),
        keepAliveTimeout: idleMs,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.maxHeadersCount = MAX_HEADERS;
    // Also ends those that do not take their answer.
    this.#server.timeout = idleMs;
  }

  /** Listens; rejects with `StartFailure`. */
  static async open(options: HttpEndpointOptions): Promise<HttpEndpoint> {
    const endpoint = new HttpEndpoint(options);
    const { host, port } = options;
    await new Promise<void>((resolve, reject) => {
      endpoint.#server.once('error', (error) => {
        reject(new StartFailure(`cannot listen on http://${host}:${port}: ${error.message}`));
      });
      endpoint.#server.listen({ host: host === '' ? undefined : host, port }, resolve);
    });
    endpoint.#server.on('error', (error) => options.logger.error('the HTTP endpoint failed', { error }));
    return endpoint;
  }

  /** The port that is listened on. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Ends at once, answers under way included. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Without a socket, it waits for the answer to an earlier request of its connection.
    const isAhead = response.socket === null;
    try {
      await send(request, response, isAhead ? refusal(429, 'one request at a time') : await this.#answer(request));
    } catch (error) {
      this.#logger.error('answering over HTTP failed', { path: request.url, error });
      response.destroy();
    }
  }

  async #answer({ method, url = '', headers }: IncomingMessage): Promise<HttpAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'only GET and HEAD');
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody) return refusal(413, 'a request has no body here');
    const path = url.split('?', 1)[0]!;
    return (await this.#handler(path)) ?? refusal(404, 'there are /metrics, /health and /ready');
  }
}

function refusal(status: number, reason: string): HttpAnswer {
  return { status, contentType: TEXT, body: `${reason}\n` };
}

async function send(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): Promise<void> {
  const { status, contentType, body } = answer;
  // After a refusal nothing more of the connection is looked at.
  const connection = CLOSING.has(status) ? { connection: 'close' } : {};
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', ...length, ...connection });
  if (request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body);
  else await sendPieces(response, body);
}

async function sendPieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
