/**
 * Captured frames in order, understood: requests by their header, responses by the request with their correlation id.
 * Owns pairing, and the guess whether a frame is one or the other where the capture does not say it: a frame that
 * decodes as a request to its last byte is one. Every bit of a message is kept.
 */
import type { Api } from './api';
import type { CapturedFrame } from './captured-frames';
import { ExactReader } from './exact-reader';
import { decodeRequestHeader, decodeResponseHeader } from './header';
import { MalformedMessage } from './malformed';
import { Reader } from './reader';

export interface UnderstoodFrame {
  readonly kind: 'request' | 'response';
  readonly api: Api<unknown, unknown>;
  readonly version: number;
  readonly correlationId: number;
  /** Of the request, also with a response. */
  readonly clientId: string;
  readonly message: unknown;
  readonly sizeInBytes: number;
}

export interface UnknownFrame {
  readonly kind: 'unknown';
  readonly bytes: Buffer;
  /** Why it is neither request nor response. */
  readonly problem: string;
}

/** What lone responses answer. */
export interface AnsweredVersion {
  readonly api: Api<unknown, unknown>;
  readonly version: number;
}

type Call = Pick<UnderstoodFrame, 'api' | 'version' | 'correlationId' | 'clientId'>;

export class Conversation {
  /** Requests without an answer so far, oldest first; several connections may use one id. */
  private readonly waiting = new Map<number, Call[]>();

  /** `answered`: what responses without their request are taken for. */
  constructor(private readonly answered?: AnsweredVersion) {}

  add({ bytes, direction }: CapturedFrame): UnderstoodFrame | UnknownFrame {
    const problems: string[] = [];
    const attempt = (what: string, decode: () => UnderstoodFrame): UnderstoodFrame | undefined => {
      try {
        return decode();
      } catch (failure) {
        if (!(failure instanceof MalformedMessage)) throw failure;
        problems.push(`as a ${what}: ${failure.message}`);
        return undefined;
      }
    };
    const request = direction === 'response' ? undefined : attempt('request', () => this.request(bytes));
    if (request !== undefined) return request;
    const response = direction === 'request' ? undefined : attempt('response', () => this.response(bytes));
    return response ?? { kind: 'unknown', bytes, problem: problems.join('; ') };
  }

  /** Requests whose answers are not among the frames. */
  get unanswered(): readonly Call[] {
    return [...this.waiting.values()].flat();
  }

  private request(bytes: Buffer): UnderstoodFrame {
    const { api, apiVersion, correlationId, clientId, bodyReader } = decodeRequestHeader(bytes);
    const body = new ExactReader(bytes, bodyReader.position);
    const message = api.decodeRequest(body, apiVersion);
    expectEnd(body);
    const call = { api, version: apiVersion, correlationId, clientId };
    this.waiting.set(correlationId, [...(this.waiting.get(correlationId) ?? []), call]);
    return { kind: 'request', ...call, message, sizeInBytes: bytes.length };
  }

  private response(bytes: Buffer): UnderstoodFrame {
    const correlationId = new Reader(bytes).int32();
    const calls = this.waiting.get(correlationId) ?? [];
    const lone = this.answered === undefined ? [] : [{ ...this.answered, correlationId, clientId: '' }];
    let refusal = new MalformedMessage(`no request with correlation id ${correlationId} came before it`);
    for (const call of [...calls, ...lone]) {
      try {
        const message = decodeAnswer(bytes, call);
        const left = calls.filter((one) => one !== call);
        if (left.length > 0) this.waiting.set(correlationId, left);
        else this.waiting.delete(correlationId);
        return { kind: 'response', ...call, message, sizeInBytes: bytes.length };
      } catch (failure) {
        if (!(failure instanceof MalformedMessage)) throw failure;
        refusal = new MalformedMessage(`${call.api.name} v${call.version}: ${failure.message}`);
      }
    }
    throw refusal;
  }
}

function decodeAnswer(bytes: Buffer, { api, version }: AnsweredVersion): unknown {
  try {
    return decodeAnswerIn(bytes, api, version);
  } catch (failure) {
    // A version of ApiVersions that the broker does not know is answered in version 0 (KIP-511).
    if (api.name !== 'ApiVersions' || version === 0) throw failure;
    return decodeAnswerIn(bytes, api, 0);
  }
}

function decodeAnswerIn(bytes: Buffer, api: Api<unknown, unknown>, version: number): unknown {
  const reader = new ExactReader(bytes);
  decodeResponseHeader(reader, api, version);
  const message = api.decodeResponse(reader, version);
  expectEnd(reader);
  return message;
}

function expectEnd(reader: Reader): void {
  if (reader.remaining > 0) throw new MalformedMessage(`${reader.remaining} bytes are left over`);
}
