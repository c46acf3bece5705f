/**
 * How much one connection reads in a turn of the event loop: of one socket the system gives as much as is there, up to
 * 4 MB, before it looks at the next, and answers leave at the end of the turn, so a few peers with large requests would
 * keep everyone waiting. Owns the count and who goes on in the next turn; the connections do the pausing.
 * A turn's bytes are divided among as many as read much in the last one, so who is alone loses nothing, and small
 * requests neither wait nor are counted.
 */
import type { Clock } from '../base/clock';
import { READ_BYTES } from './socket-input';

/** Of all connections together, about: some 2 ms of work. */
const BYTES_OF_A_TURN = 2 * 1024 * 1024;
/** A smaller piece was the last one that the socket had, so nothing follows in the same turn. */
const PIECE_BYTES = READ_BYTES / 2;

export interface TurnReader {
  /** Has used up its share, and will be told of the next turn. */
  isWaitingForTurn: boolean;
  /** Reads on. */
  onNextTurn(): void;
}

export class ReadShare {
  readonly #clock: Pick<Clock, 'endOfTurn'>;
  /** What those that read much in this turn have read. */
  #bytes = new Map<TurnReader, number>();
  #shareBytes = BYTES_OF_A_TURN;
  #waiting: TurnReader[] = [];

  constructor(clock: Pick<Clock, 'endOfTurn'>) {
    this.#clock = clock;
  }

  /** `reader` has read so many bytes; may make it wait. */
  use(reader: TurnReader, bytes: number): void {
    if (bytes < PIECE_BYTES) return;
    if (this.#bytes.size === 0) this.#clock.endOfTurn(this.#onTurnEnd);
    const readBytes = (this.#bytes.get(reader) ?? 0) + bytes;
    this.#bytes.set(reader, readBytes);
    if (readBytes < this.#shareBytes || reader.isWaitingForTurn) return;
    reader.isWaitingForTurn = true;
    this.#waiting.push(reader);
  }

  readonly #onTurnEnd = (): void => {
    this.#shareBytes = Math.max(READ_BYTES, BYTES_OF_A_TURN / this.#bytes.size);
    this.#bytes = new Map();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const reader of waiting) {
      reader.isWaitingForTurn = false;
      reader.onNextTurn();
    }
  };
}
