/**
 * A broker of one partition that does what it is told wrong, to see that the load notices. Knows Produce and Fetch as
 * `frames.ts` makes them, and answers anything else with a frame of zeros.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { fetchFrame, produceFrame } from './frames';

export const TOPIC = 'fake';
export const PRODUCE = produceFrame(TOPIC, { recordBytes: 100, batchBytes: 1000, acks: -1 });
export const FETCH = fetchFrame(TOPIC);

/** What happens to the FAULTY-th Produce, or to every Fetch, or (`closes`) to every second other request. */
export type Fault = 'none' | 'loses' | 'doubles' | 'skips' | 'refuses' | 'late' | 'swaps' | 'refuses-fetch' | 'closes';

const FAULTY = 5;
export const LATE_MS = 400;
const [PRODUCE_KEY, FETCH_KEY] = [0, 1];
const PREFIX_BYTES = 4;
const POLL_MS = 5;
const [BATCH_LENGTH_AT, BATCH_OVERHEAD, LAST_DELTA_AT] = [8, 12, 23];
const ANSWER_BYTES = 64;
const MOST_BATCHES = 20;
const ERROR = 7;

function answer(bytes: number): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + bytes);
  frame.writeInt32BE(bytes);
  return frame;
}

export class FalseBroker {
  readonly #fault: Fault;
  readonly #server: Server;
  readonly #batches: Buffer[] = [];
  #nextOffset = 0;
  #kept: Buffer | undefined;
  #produced = 0;
  #others = 0;

  private constructor(fault: Fault) {
    this.#fault = fault;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async with<T>(fault: Fault, use: (port: number) => Promise<T>): Promise<T> {
    const broker = new FalseBroker(fault);
    await new Promise<void>((resolve) => broker.#server.listen(0, '127.0.0.1', resolve));
    try {
      const address = broker.#server.address();
      return await use(typeof address === 'object' ? (address?.port ?? 0) : 0);
    } finally {
      broker.#server.close();
    }
  }

  #serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    // A load that gives up leaves its connections as they are.
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      while (received.length >= PREFIX_BYTES) {
        const end = PREFIX_BYTES + received.readInt32BE();
        if (received.length < end) return;
        this.#take(socket, received.subarray(PREFIX_BYTES, end));
        received = received.subarray(end);
      }
    });
  }

  #take(socket: Socket, request: Buffer): void {
    const key = request.readInt16BE(0);
    if (key === PRODUCE_KEY) this.#produce(socket, request);
    else if (key === FETCH_KEY) setTimeout(() => this.#fetch(socket, request), POLL_MS);
    else if (this.#fault === 'closes' && ++this.#others % 2 === 0) socket.destroy();
    else socket.write(answer(ANSWER_BYTES));
  }

  #produce(socket: Socket, request: Buffer): void {
    const isFaulty = ++this.#produced === FAULTY;
    const { batchAt } = PRODUCE;
    const batch = request.subarray(batchAt, batchAt + request.readInt32BE(batchAt + BATCH_LENGTH_AT) + BATCH_OVERHEAD);
    if (isFaulty && this.#fault === 'swaps') this.#kept = batch;
    else if (!isFaulty || this.#fault !== 'loses') this.#append(batch);
    if (isFaulty && this.#fault === 'doubles') this.#append(batch);
    if (!isFaulty && this.#kept !== undefined) {
      this.#append(this.#kept);
      this.#kept = undefined;
    }
    if (isFaulty && this.#fault === 'skips') this.#nextOffset++;
    const frame = answer(ANSWER_BYTES);
    if (isFaulty && this.#fault === 'refuses') frame.writeInt16BE(ERROR, PREFIX_BYTES + PRODUCE.errorAt);
    if (isFaulty && this.#fault === 'late') setTimeout(() => socket.write(frame), LATE_MS);
    else socket.write(frame);
  }

  #append(batch: Buffer): void {
    const stored = Buffer.from(batch);
    stored.writeBigInt64BE(BigInt(this.#nextOffset));
    this.#nextOffset += stored.readInt32BE(LAST_DELTA_AT) + 1;
    this.#batches.push(stored);
  }

  #fetch(socket: Socket, request: Buffer): void {
    const from = request.readBigInt64BE(FETCH.offsetAt);
    const batches = this.#batches.filter((batch) => batch.readBigInt64BE() >= from).slice(0, MOST_BATCHES);
    const records = Buffer.concat(batches);
    const head = answer(FETCH.recordsAt);
    head.writeInt32BE(FETCH.recordsAt + records.length);
    head.writeInt32BE(records.length, head.length - 4);
    if (this.#fault === 'refuses-fetch') head.writeInt16BE(ERROR, PREFIX_BYTES + FETCH.errorAt);
    socket.write(Buffer.concat([head, records]));
  }
}
