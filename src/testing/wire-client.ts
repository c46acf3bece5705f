/**
 * A client for tests that speaks one API version at a time, exactly as told: no negotiation, no retries. Requests may
 * be pipelined; answers are matched in order and their correlation ids checked.
 */
import type { Api } from '../codec/api';
import { decodeResponseHeader, encodeRequestHeader } from '../codec/header';
import { Reader } from '../codec/reader';
import { Writer } from '../codec/writer';
import { RawClient, until } from './raw-client';

interface Pending {
  readonly correlationId: number;
  take(frame: Buffer): void;
  fail(error: Error): void;
}

export interface WireRequest<Q, R> {
  readonly api: Api<Q, R>;
  readonly version: number;
  readonly request: Q;
}

export class WireClient {
  readonly raw: RawClient;
  readonly #clientId: string | null;
  readonly #pending: Pending[] = [];
  #lastCorrelationId = 0;
  #taken = 0;

  private constructor(raw: RawClient, clientId: string | null) {
    this.raw = raw;
    this.#clientId = clientId;
    raw.socket.on('data', () => this.#takeAnswers());
    raw.socket.on('close', () => {
      for (const pending of this.#pending.splice(0)) pending.fail(new Error('the broker closed the connection'));
    });
  }

  static async connect(port: number, o: { host?: string; clientId?: string | null } = {}): Promise<WireClient> {
    const raw = await RawClient.open(port, o.host === undefined ? {} : { host: o.host });
    return new WireClient(raw, o.clientId === undefined ? 'wire-client' : o.clientId);
  }

  /**
   * Sends a request, its frame as `change` makes it, and resolves with its answer; rejects when the connection closes
   * first.
   */
  call<Q, R>(call: WireRequest<Q, R>, change: (frame: Buffer) => Buffer = (frame) => frame): Promise<R> {
    return new Promise((resolve, reject) => {
      const { api, version } = call;
      const correlationId = ++this.#lastCorrelationId;
      this.#pending.push({
        correlationId,
        fail: reject,
        take: (frame) => {
          const reader = new Reader(frame);
          const got = decodeResponseHeader(reader, api as Api<never, unknown>, version);
          if (got !== correlationId) throw new Error(`answer ${got} came where ${correlationId} was due`);
          resolve(api.decodeResponse(reader, version));
        },
      });
      this.raw.send(change(requestFrame(call, correlationId, this.#clientId)));
    });
  }

  /** Sends a request that gets no answer: Produce with acks=0. */
  post<Q, R>(call: WireRequest<Q, R>): void {
    this.raw.send(requestFrame(call, ++this.#lastCorrelationId, this.#clientId));
  }

  /** Waits until the broker has closed the connection. */
  closedByBroker(): Promise<void> {
    return until(() => this.raw.closed, 'the broker to close the connection');
  }

  close(): void {
    this.raw.close();
  }

  #takeAnswers(): void {
    const frames = this.raw.frames;
    for (; this.#taken < frames.length; this.#taken++) {
      const pending = this.#pending.shift();
      if (pending === undefined) throw new Error('an answer came to no request');
      try {
        pending.take(frames[this.#taken]!);
      } catch (error) {
        pending.fail(error as Error);
      }
    }
  }
}

/** A whole request, length prefix included. */
export function requestFrame<Q, R>(call: WireRequest<Q, R>, correlationId: number, clientId: string | null): Buffer {
  const writer = new Writer();
  const api = call.api as Api<never, unknown>;
  writer.int32(0);
  encodeRequestHeader(writer, { api, apiVersion: call.version, correlationId }, clientId);
  call.api.encodeRequest(writer, call.request, call.version);
  const frame = writer.finishBuffer();
  frame.writeInt32BE(frame.length - 4);
  return frame;
}
