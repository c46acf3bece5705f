/**
 * One accepted socket: frames in, answers out in the order of their requests, and what keeps either side from being
 * flooded. Owns order, back-pressure and closing; knows no API (see `base/transport.ts`) and no other connection.
 *
 * Order is Kafka's: a request starts when the answers of all earlier ones are ready, unless the session lets it overlap
 * with those that have passed their first stage. Reading stops while many frames or many answer bytes wait, while the
 * broker's request memory or the connection's share of a turn is used up, and while the connection is muted (KIP-219):
 * then nothing is started either.
 * A request that was received whole is served even if the peer has closed its side.
 */
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { SlabMemory } from '../base/slab-memory';
import type { Answer, ConnectionHandler, ConnectionInfo, ConnectionSession } from '../base/transport';
import { AnswerSender, releaseRegions } from './answer-sender';
import type { BusyPoll } from './busy-poll';
import { FrameReader } from './frame-reader';
import type { ReadShare, TurnReader } from './read-share';
import type { RequestMemory, RequestReader } from './request-memory';
import { openInput } from './socket-input';

/** Frames received and not yet answered, from which on no more is read. */
const MAX_PIPELINED_FRAMES = 32;
/** Unsent answer bytes from which on no request is started and nothing is read. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** How long a closing connection waits for progress before it is cut. */
const LINGER_MS = 1000;

/** A request that was started and whose answer has not been handed to the sender. */
interface Running {
  readonly kind: number;
  readonly frame: Buffer;
  passedFirstStage: boolean;
  answer: Answer | undefined;
  abandoned: boolean;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly info: ConnectionInfo;
  readonly handler: ConnectionHandler;
  readonly memory: RequestMemory;
  readonly readShare: ReadShare;
  readonly frameMemory: SlabMemory;
  readonly maxFrameBytes: number;
  readonly busyPoll: BusyPoll;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onClosed: (connection: Connection) => void;
}

/** open → draining: starts no more, sends what is due → lingering: our side has ended → closed. */
type State = 'open' | 'draining' | 'lingering' | 'closed';

export class Connection implements RequestReader, TurnReader {
  readonly info: ConnectionInfo;
  isWaitingForTurn = false;
  readonly #socket: Socket;
  readonly #session: ConnectionSession;
  readonly #frameMemory: SlabMemory;
  readonly #reader: FrameReader;
  readonly #sender: AnswerSender;
  readonly #memory: RequestMemory;
  readonly #readShare: ReadShare;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #busyPoll: BusyPoll;
  readonly #onClosed: (connection: Connection) => void;
  #state: State = 'open';
  #inputEnded = false;
  #waiting: Buffer[] = [];
  /** When each of them had arrived. */
  #arrivalsMs: number[] = [];
  #running: Running[] = [];
  #isAdvancing = false;
  /** Bytes of the frames that wait or are served. */
  #frameBytes = 0;
  #parked = false;
  #muted: Timer | undefined;
  #mutedUntilMs = 0;
  #linger: Timer | undefined;
  #lastActiveMs: number;

  constructor(o: ConnectionOptions) {
    this.info = o.info;
    const socket = openInput(o.socket, (piece) => this.#onData(piece));
    this.#socket = socket;
    this.#memory = o.memory;
    this.#readShare = o.readShare;
    this.#clock = o.clock;
    this.#logger = o.logger;
    this.#busyPoll = o.busyPoll;
    this.#onClosed = o.onClosed;
    this.#lastActiveMs = o.clock.monotonicMs();
    this.#memory.join();
    this.#session = o.handler.open(o.info);
    this.#frameMemory = o.frameMemory;
    this.#reader = new FrameReader(o.maxFrameBytes, o.frameMemory);
    this.#sender = new AnswerSender(socket, o.clock, {
      onProgress: () => this.#onProgress(),
      onBroken: (error) => {
        this.#logger.error('an answer could not be read from its file; closing', { ...this.#peer(), error });
        this.destroy();
      },
    });
    socket.on('end', () => {
      this.#session.cancelWaits();
      this.#onInputEnd();
    });
    socket.on('error', (error) => this.#logger.debug('connection failed', { ...this.#peer(), error: error.message }));
    socket.on('close', () => this.destroy());
    socket.resume();
  }

  /** For how long nothing has moved while nothing of ours was due; 0 while a request is being served. */
  idleMs(nowMs: number): number {
    return this.#running.length > 0 && this.#sender.unsentBytes === 0 ? 0 : nowMs - this.#lastActiveMs;
  }

  /**
   * For how long the peer has held request memory by sending half a frame, or by not reading answers; 0 if it does
   * not.
   */
  stalledMs(nowMs: number): number {
    const holds = this.#reader.bufferedBytes > 0 || (this.#waiting.length > 0 && this.#sender.unsentBytes > 0);
    return holds && !this.#parked && this.#muted === undefined ? nowMs - this.#lastActiveMs : 0;
  }

  /** Requests that have come in whole and whose turn has not come. */
  get waitingRequests(): number {
    return this.#waiting.length;
  }

  /** Those that are served, or whose answer waits for an earlier one. */
  get runningRequests(): number {
    return this.#running.length;
  }

  heldBytes(): number {
    return this.#reader.bufferedBytes + this.#frameBytes;
  }

  missingBytes(): number {
    return this.#reader.missingBytes;
  }

  resume(): void {
    this.#parked = false;
    if (this.#state === 'open' && !this.#inputEnded) this.#socket.resume();
  }

  onNextTurn(): void {
    this.#throttleReading();
  }

  /** Starts no further request, ends long polls, sends the answers that are due and closes. */
  drain(): void {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    this.#unmute();
    this.#dropWaiting();
    this.#session.cancelWaits();
    this.#endWhenDone();
  }

  /** Cuts the connection. */
  destroy(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#unmute();
    this.#linger?.cancel();
    this.#dropWaiting();
    this.#session.cancelWaits();
    this.#sender.destroy();
    this.#socket.destroy();
    for (const running of this.#running.splice(0)) this.#abandon(running);
    this.#memory.leave(this);
    this.#memory.dropped(this.#reader.bufferedBytes);
    this.#reader.drop();
    this.#onClosed(this);
  }

  #onData(chunk: Buffer): void {
    this.#lastActiveMs = this.#clock.monotonicMs();
    this.#busyPoll.onArrival(chunk.length, this.#lastActiveMs);
    this.#readShare.use(this, chunk.length);
    if (this.#state !== 'open' || this.#inputEnded) return;
    const heldBytes = this.#reader.bufferedBytes;
    let framedBytes = 0;
    this.#reader.push(chunk);
    for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
      this.#waiting.push(frame);
      this.#arrivalsMs.push(this.#lastActiveMs);
      framedBytes += frame.length;
    }
    this.#memory.received(framedBytes + this.#reader.bufferedBytes - heldBytes);
    this.#memory.serving(framedBytes);
    this.#frameBytes += framedBytes;
    this.#advance();
    if (this.#reader.invalidLength !== undefined) this.#refuseLength(this.#reader.invalidLength);
    else this.#throttleReading();
  }

  #refuseLength(length: number): void {
    this.#logger.warn('invalid request length; closing the connection', {
      ...this.#peer(),
      length,
      hint: hint(length),
    });
    this.#onInputEnd();
  }

  /** Nothing more comes in, or nothing that could be understood. What came before is served. */
  #onInputEnd(): void {
    if (this.#state === 'closed' || this.#state === 'lingering') return;
    this.#inputEnded = true;
    this.#armLinger();
    this.#endWhenDone();
  }

  /** Starts the requests whose turn has come; what it starts may be answered, and call this, before it returns. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#waiting.length > 0 && this.#mayStart(this.#waiting[0]!)) {
      this.#start(this.#waiting.shift()!, this.#arrivalsMs.shift()!);
    }
    this.#isAdvancing = false;
  }

  #mayStart(frame: Buffer): boolean {
    if (this.#state !== 'open' || this.#muted !== undefined) return false;
    if (this.#sender.unsentBytes >= MAX_UNSENT_BYTES) return false;
    if (this.#running.length === 0) return true;
    return this.#running.every(
      (running) =>
        running.answer !== undefined || (running.passedFirstStage && this.#session.mayOverlap(running.kind, frame)),
    );
  }

  #start(frame: Buffer, arrivedAtMs: number): void {
    const { kind, firstStage, answer } = this.#session.serve(frame, arrivedAtMs);
    const running: Running = { kind, frame, passedFirstStage: false, answer: undefined, abandoned: false };
    this.#running.push(running);
    firstStage?.whenThere(() => {
      running.passedFirstStage = true;
      this.#advance();
    }, this.#onBug);
    answer.whenThere((ready) => {
      try {
        this.#onAnswer(running, ready);
      } catch (error) {
        this.#onBug(error);
      }
    }, this.#onBug);
  }

  readonly #onBug = (error: unknown): void => {
    this.#logger.error('a request failed without an answer; closing the connection', { ...this.#peer(), error });
    this.destroy();
  };

  #onAnswer(running: Running, answer: Answer): void {
    if (answer.frameIsFree) this.#frameMemory.giveBack(running.frame);
    if (running.abandoned) {
      releaseRegions(answer.chunks);
      return;
    }
    running.answer = answer;
    while (this.#running[0]?.answer !== undefined) {
      const first = this.#running.shift()!;
      this.#onServed(first.frame.length);
      this.#handOver(first.answer!);
    }
    if (this.#inputEnded) this.#armLinger();
    this.#advance();
    this.#endWhenDone();
    this.#throttleReading();
  }

  #handOver(answer: Answer): void {
    answer.timing?.onHandedOver();
    this.#sender.send(answer.chunks, answer.timing);
    if (answer.muteMs > 0) this.#mute(answer.muteMs);
    if (!answer.closeAfter) return;
    this.#state = 'draining';
    this.#dropWaiting();
    this.#session.cancelWaits();
    for (const later of this.#running.splice(0)) this.#abandon(later);
  }

  /** Its answer, now or later, is not sent. */
  #abandon(running: Running): void {
    running.abandoned = true;
    this.#onServed(running.frame.length);
    if (running.answer) releaseRegions(running.answer.chunks);
  }

  /** The longest of several mutes counts. */
  #mute(muteMs: number): void {
    const untilMs = this.#clock.monotonicMs() + muteMs;
    if (this.#muted !== undefined && untilMs <= this.#mutedUntilMs) return;
    this.#unmute();
    this.#mutedUntilMs = untilMs;
    this.#parked = false;
    this.#memory.withdraw(this);
    this.#muted = this.#clock.schedule(muteMs, () => {
      this.#muted = undefined;
      this.#advance();
      this.#endWhenDone();
      this.#throttleReading();
    });
  }

  #unmute(): void {
    this.#muted?.cancel();
    this.#muted = undefined;
  }

  /** Bytes of answers went out. */
  #onProgress(): void {
    this.#lastActiveMs = this.#clock.monotonicMs();
    if (this.#linger !== undefined) this.#armLinger();
    if (this.#state !== 'open') return;
    this.#advance();
    this.#endWhenDone();
    this.#throttleReading();
  }

  #endWhenDone(): void {
    const due = this.#state === 'draining' || (this.#state === 'open' && this.#inputEnded);
    if (!due || this.#running.length > 0 || this.#waiting.length > 0) return;
    this.#state = 'lingering';
    this.#unmute();
    this.#sender.end();
    this.#socket.resume();
    this.#armLinger();
  }

  /** While requests wait for the end of a mute, nothing can make progress. */
  #armLinger(): void {
    this.#linger?.cancel();
    const muteMs = this.#muted === undefined ? 0 : this.#mutedUntilMs - this.#clock.monotonicMs();
    this.#linger = this.#clock.schedule(LINGER_MS + Math.max(0, muteMs), () => this.destroy());
  }

  #throttleReading(): void {
    if (this.#state !== 'open' || this.#inputEnded || this.#parked) return;
    const inWork = this.#waiting.length + this.#running.length;
    const flooded =
      this.isWaitingForTurn ||
      this.#muted !== undefined ||
      inWork >= (this.#session.readsAhead ? MAX_PIPELINED_FRAMES : 1) ||
      this.#sender.unsentBytes >= MAX_UNSENT_BYTES;
    if (!flooded) this.#parked = !this.#memory.mayRead(this);
    if (flooded || this.#parked) this.#socket.pause();
    else this.#socket.resume();
  }

  #dropWaiting(): void {
    this.#arrivalsMs = [];
    for (const frame of this.#waiting.splice(0)) this.#onServed(frame.length);
  }

  /** A frame of so many bytes is gone. */
  #onServed(bytes: number): void {
    this.#frameBytes -= bytes;
    this.#memory.served(bytes);
  }

  #peer(): { listener: string; peer: string } {
    return { listener: this.info.listenerName, peer: `${this.info.peerAddress}:${this.info.peerPort}` };
  }
}

/** What the first four bytes look like when they are no length. */
function hint(length: number): string | undefined {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length);
  if (bytes[0] === 0x16 && bytes[1] === 0x03) return 'TLS on a plaintext listener';
  return /^[A-Z]{3,4} ?$/.test(bytes.toString('latin1')) ? 'HTTP' : undefined;
}
