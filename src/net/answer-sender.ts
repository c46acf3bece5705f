/**
 * Sends the answers of one connection: bytes as they are, file regions read piece by piece while they are sent.
 * Owns the order of bytes, the memory that sending takes and the release of file regions: exactly once each, whatever
 * happens. Knows nothing of requests.
 * What becomes ready in one turn of the event loop leaves in one write; no more than about a piece is read ahead of the
 * socket, so a slow reader costs little memory. How large a piece is, `piece-memory.ts` says; how many go out in one
 * turn, `turn-share.ts`; what the system sends from the file itself, `direct-write.ts` where it is in memory and the
 * peer keeps up, `file-sender.ts` where it comes from the disk.
 */
import type { Writable } from 'node:stream';
import { type Chunk, isFileRegion } from '../base/chunk';
import type { Clock } from '../base/clock';
import { giveBackLent } from '../base/lent-bytes';
import type { AnswerTiming } from '../base/transport';
import { writeHead } from './direct-write';
import { FileSender } from './file-sender';
import { watchMappings } from './mapping-rest';
import { LARGE_REGION_BYTES, PieceMemory } from './piece-memory';
import { QueuedRegion } from './queued-region';
import { type TurnShare, turnShareOf } from './turn-share';

const pieceMemory = new PieceMemory();

/** A stretch of the output: ready to be written, or being read from its file. */
interface Piece {
  readonly bytes: number;
  data: Buffer | undefined;
  slab: Buffer | undefined;
}

export interface AnswerSenderEvents {
  /** Bytes went out. */
  onProgress(): void;
  /** A file could not be read as far as it was promised: the stream is broken and must be cut. */
  onBroken(error: Error): void;
}

/** Who is to be told when so many bytes, of all that were ever queued, have gone out. */
interface Mark {
  readonly atBytes: number;
  readonly timing: SendTiming;
}

type SendTiming = Pick<AnswerTiming, 'onSent'>;

export class AnswerSender {
  readonly #socket: Writable;
  readonly #clock: Clock;
  readonly #events: AnswerSenderEvents;
  readonly #turnShare: TurnShare;
  #queue: (Buffer | QueuedRegion)[] = [];
  #pieces: Piece[] = [];
  #unsentBytes = 0;
  #sentBytes = 0;
  #marks: Mark[] = [];
  /** Bytes of pieces that are being read, are ready, or are in the socket's own queue. */
  #aheadBytes = 0;
  /** Whether the operating system took all of the last write at once. */
  #keepsUp = false;
  #scheduled = false;
  readonly #fileSender: FileSender;
  #ending = false;
  #destroyed = false;

  constructor(socket: Writable, clock: Clock, events: AnswerSenderEvents) {
    this.#socket = socket;
    this.#clock = clock;
    this.#events = events;
    this.#turnShare = turnShareOf(clock);
    this.#fileSender = new FileSender(socket);
  }

  /** Bytes handed over, or still to be read, that the operating system has not taken. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Queues `chunks`; takes over their file regions. `timing` is told when all of them have gone out. */
  send(chunks: readonly Chunk[], timing?: SendTiming): void {
    if (this.#destroyed || this.#ending) {
      releaseRegions(chunks);
      return;
    }
    for (const chunk of chunks) {
      this.#unsentBytes += chunk.length;
      this.#queue.push(isFileRegion(chunk) ? new QueuedRegion(chunk) : chunk);
    }
    if (timing) this.#mark(timing);
    this.#schedule();
  }

  /** Ends the stream when all that was queued has gone out. */
  end(): void {
    this.#ending = true;
    this.#schedule();
  }

  /** Sends no more and lets go of every file. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    for (const entry of this.#queue) if (entry instanceof QueuedRegion) entry.over();
    this.#queue = [];
    for (const piece of this.#pieces) if (piece.data !== undefined) recycle(piece);
    this.#pieces = [];
  }

  #mark(timing: SendTiming): void {
    if (this.#unsentBytes === 0) timing.onSent();
    else this.#marks.push({ atBytes: this.#sentBytes + this.#unsentBytes, timing });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.endOfTurn(this.#onTurnEnd);
  }

  readonly #onTurnEnd = (): void => {
    this.#scheduled = false;
    // What comes before a region, its answer's head, is not sent alone: that would be a write more.
    if (this.#turnShare.isUsedUp && this.#queue.some(isLargeRegion)) this.#schedule();
    else this.#pump();
  };

  #pump(): void {
    if (this.#destroyed || this.#fileSender.isBusy) return;
    if (this.#writeDirectly()) return;
    this.#fill();
    this.#flush();
    const isDone = this.#ending && !this.#fileSender.isBusy && this.#queue.length === 0 && this.#pieces.length === 0;
    if (isDone && !this.#destroyed) this.#socket.end();
  }

  /**
   * Sends the head of the queue past the socket's stream where that is empty and the system took all of the last write.
   * As a write by the stream it is over when others have had their turn. Returns whether something went out.
   */
  #writeDirectly(): boolean {
    if (!this.#keepsUp || this.#aheadBytes > 0 || !this.#fileSender.mayWriteDirectly) return false;
    const written = writeHead(this.#queue, this.#fileSender.descriptor);
    if (written === undefined) return false;
    const { bytes, isWhole } = written;
    watchMappings(this.#clock);
    this.#turnShare.use(bytes);
    this.#keepsUp = isWhole;
    this.#aheadBytes += bytes;
    this.#clock.soon(() => this.#onOut(bytes));
    return true;
  }

  /** Turns the head of the queue into pieces, as far as reading ahead is allowed. */
  #fill(): void {
    let taken = 0;
    const mostAhead = pieceMemory.largestPiece(this.#keepsUp);
    while (this.#aheadBytes < mostAhead && taken < this.#queue.length) {
      const entry = this.#queue[taken]!;
      if (!(entry instanceof QueuedRegion)) {
        this.#aheadBytes += entry.length;
        this.#pieces.push({ bytes: entry.length, data: entry, slab: undefined });
        taken++;
        continue;
      }
      const rest = entry.region.length - entry.offset;
      if (rest > 0 && this.#fileSender.wants(rest)) {
        // What is before it goes first; when that has gone, this is called again.
        if (this.#aheadBytes > 0 || entry.sendBy(this.#fileSender, this.#onSentFromFile)) break;
      }
      if (rest > 0) this.#readPiece(entry);
      if (entry.offset >= entry.region.length) {
        entry.over();
        taken++;
      }
    }
    this.#queue.splice(0, taken);
  }

  #readPiece(queued: QueuedRegion): void {
    const bytes = Math.min(queued.region.length - queued.offset, pieceMemory.largestPiece(this.#keepsUp));
    const slab = pieceMemory.take(bytes);
    if (slab) this.#turnShare.use(bytes);
    const target = slab ? slab.subarray(0, bytes) : Buffer.allocUnsafe(bytes);
    const piece: Piece = { bytes, data: undefined, slab };
    this.#aheadBytes += bytes;
    this.#pieces.push(piece);
    const before = queued.readAtOnce(target);
    if (before === bytes) {
      piece.data = target;
      return;
    }
    this.#fileSender.onColdRead();
    queued.read(target.subarray(before)).then(
      (count) => this.#onRead(piece, target, before + count),
      (error: Error) => this.#onReadFailed(piece, error),
    );
  }

  readonly #onSentFromFile = (sent: number): void => {
    if (this.#destroyed) return;
    if (sent === 0) {
      this.#events.onBroken(new Error('a file region ended early'));
      return;
    }
    if (this.#fileSender.isFull) this.#keepsUp = false;
    if (sent > 0) this.#onSent(sent);
    this.#pump();
  };

  #onRead(piece: Piece, target: Buffer, count: number): void {
    if (count !== piece.bytes) {
      this.#onReadFailed(piece, new Error(`a file region ended ${piece.bytes - count} bytes early`));
      return;
    }
    if (this.#destroyed) {
      recycle(piece);
      return;
    }
    piece.data = target;
    this.#pump();
  }

  #onReadFailed(piece: Piece, error: Error): void {
    recycle(piece);
    if (!this.#destroyed) this.#events.onBroken(error);
  }

  /** Writes all pieces that are ready, in order, with one call to the operating system. */
  #flush(): void {
    let ready = 0;
    while (ready < this.#pieces.length && this.#pieces[ready]!.data !== undefined) ready++;
    if (ready === 0) return;
    const batch = this.#pieces.splice(0, ready);
    this.#fileSender.onWrite();
    const last = batch.length - 1;
    if (last > 0) this.#socket.cork();
    for (let at = 0; at < last; at++) this.#socket.write(batch[at]!.data!);
    this.#socket.write(batch[last]!.data!, (error) => {
      for (const piece of batch) this.#onWritten(piece, error);
    });
    if (last > 0) this.#socket.uncork();
    this.#keepsUp = this.#socket.writableLength === 0;
    // The system has its copy. The next region, of any connection, finds this memory still in the processor's cache.
    if (this.#keepsUp) for (const piece of batch) recycle(piece);
  }

  #onWritten(piece: Piece, error: Error | null | undefined): void {
    recycle(piece);
    this.#onOut(piece.bytes, error);
  }

  /** So many bytes are not ahead of the socket any more. */
  #onOut(bytes: number, error?: Error | null): void {
    this.#aheadBytes -= bytes;
    if (error || this.#destroyed) {
      this.#unsentBytes -= bytes;
      return;
    }
    this.#onSent(bytes);
    if (this.#queue.length > 0 || this.#ending) this.#schedule();
  }

  #onSent(bytes: number): void {
    this.#unsentBytes -= bytes;
    this.#sentBytes += bytes;
    while (this.#marks.length > 0 && this.#marks[0]!.atBytes <= this.#sentBytes) this.#marks.shift()!.timing.onSent();
    this.#events.onProgress();
  }
}

function isLargeRegion(entry: Buffer | QueuedRegion): boolean {
  return entry instanceof QueuedRegion && entry.region.length >= LARGE_REGION_BYTES;
}

function recycle(piece: Piece): void {
  if (piece.data !== undefined && piece.slab === undefined) giveBackLent(piece.data);
  piece.data = undefined;
  if (piece.slab === undefined) return;
  pieceMemory.giveBack(piece.slab);
  piece.slab = undefined;
}

/** Lets go of the file regions of an answer that will not be sent. */
export function releaseRegions(chunks: readonly Chunk[]): void {
  for (const chunk of chunks) if (isFileRegion(chunk)) chunk.release();
}
