/**
 * A connection handler that a test plays by hand: it notes each request and answers when told. Frames are plain text;
 * those that begin with `overlap` may overlap each other once their first stage is passed.
 */
import type { Chunk } from '../base/chunk';
import { Later } from '../base/later';
import type { Answer, ConnectionHandler, ConnectionInfo, ConnectionSession, Served } from '../base/transport';

const OVERLAPPING = 1;

export type AnswerOptions = Partial<Pick<Answer, 'closeAfter' | 'muteMs' | 'frameIsFree'>>;

/** One request that reached the handler. */
export interface ScriptedRequest {
  readonly text: string;
  /** As it was handed over; its memory is another's once it was answered as free. */
  readonly frame: Buffer;
  readonly connection: ConnectionInfo;
  passFirstStage(): void;
  /** Answers with `body` as a frame (undefined: with nothing). */
  answer(body?: string | readonly Chunk[], options?: AnswerOptions): void;
  fail(error: Error): void;
}

export class ScriptedHandler implements ConnectionHandler {
  readonly requests: ScriptedRequest[] = [];
  /** What sessions say of reading ahead. */
  readsAhead = true;
  readonly opened: ConnectionInfo[] = [];
  /** How often the waits of each connection were cancelled, by connection id. */
  readonly cancelled: number[] = [];
  /** Answers every request at once with its own text. */
  echo = false;

  get texts(): string[] {
    return this.requests.map((request) => request.text);
  }

  open(connection: ConnectionInfo): ConnectionSession {
    this.opened.push(connection);
    const readsAhead = (): boolean => this.readsAhead;
    return {
      get readsAhead() {
        return readsAhead();
      },
      mayOverlap: (earlier, frame) => earlier === OVERLAPPING && frame.toString().startsWith('overlap'),
      serve: (frame) => this.#serve(connection, frame),
      cancelWaits: () => {
        this.cancelled.push(connection.id);
      },
    };
  }

  #serve(connection: ConnectionInfo, frame: Buffer): Served {
    const text = frame.toString();
    const firstStage = new Later<void>();
    const answer = new Later<Answer>();
    const request: ScriptedRequest = {
      text,
      frame,
      connection,
      passFirstStage: () => firstStage.settle(),
      answer: (body, { closeAfter = false, muteMs = 0, frameIsFree = false } = {}) => {
        const chunks = typeof body === 'string' ? [textFrame(body)] : (body ?? []);
        answer.settle({ chunks, closeAfter, muteMs, frameIsFree });
      },
      fail: (error) => answer.fail(error),
    };
    this.requests.push(request);
    if (this.echo) request.answer(text);
    return { kind: text.startsWith('overlap') ? OVERLAPPING : 0, firstStage, answer };
  }
}

/** `text` as a frame with its length prefix. */
export function textFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(4 + body.length);
  frame.writeInt32BE(body.length);
  body.copy(frame, 4);
  return frame;
}
