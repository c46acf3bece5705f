/**
 * Answers over real sockets while peers stop reading, end and reset, and files end early: whoever stays gets every byte
 * as it is, nobody gets a wrong one, each region is released once, and all memory comes back.
 * ANSWER_ROUNDS=10000 for a long run; ANSWER_SEED for another one.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { FileRegion } from '../base/chunk';
import { systemClock } from '../base/clock';
import { AnswerSender } from './answer-sender';

const ROUNDS = Number(process.env.ANSWER_ROUNDS ?? 80);
const SEED = Number(process.env.ANSWER_SEED ?? 1);
const TIMEOUT_MS = 30_000 + 200 * ROUNDS;
const AT_ONCE = 20;
const PAUSE_MS = 50;
const LARGEST_REGION = 3_000_000;

/** mulberry32 */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) % 1_000_003) % below;
  };
}

const random = randomFrom(SEED);
/** No two stretches of it are alike. */
const bytes = Buffer.alloc(LARGEST_REGION * 2);
for (let at = 0, next = randomFrom(SEED + 1); at < bytes.length; at += 2) bytes.writeUInt16LE(next(65_536), at);

type Behaviour = 'reads' | 'pauses' | 'ends' | 'resets' | 'stops and resets';
const BEHAVIOURS: readonly Behaviour[] = ['reads', 'reads', 'pauses', 'ends', 'resets', 'stops and resets'];

const STOPS: readonly Behaviour[] = ['pauses', 'stops and resets'];

/** A region of `bytes` whose reads give all at once, a part, or nothing, and later the rest, or less than the rest. */
class Region implements FileRegion {
  released = 0;
  readsAfterRelease = 0;
  largestRead = 0;

  constructor(
    readonly data: Buffer,
    readonly isCut: boolean,
  ) {}

  get length(): number {
    return this.data.length;
  }

  async read(target: Buffer, offset: number): Promise<number> {
    await new Promise<void>((resolve) => systemClock.immediate(resolve));
    return this.readAtOnce(target, offset, this.isCut ? Math.floor(target.length / 2) : target.length);
  }

  readAtOnce(target: Buffer, offset: number, most = [0, 1, target.length, target.length][random(4)]!): number {
    if (this.released > 0) this.readsAfterRelease++;
    this.largestRead = Math.max(this.largestRead, target.length);
    return this.data.copy(target, 0, offset, offset + most);
  }

  release(): void {
    this.released++;
  }
}

interface Round {
  readonly chunks: (Buffer | Region)[];
  readonly behaviour: Behaviour;
  readonly expected: Buffer;
  /** After so many bytes the peer does what it does. */
  readonly turnsAt: number;
}

function newRound(): Round {
  const behaviour = BEHAVIOURS[random(BEHAVIOURS.length)]!;
  // Who stops does so early, with more to come than the sockets' buffers hold.
  const stops = STOPS.includes(behaviour);
  const least = stops ? LARGEST_REGION / 2 : 0;
  const chunks = Array.from({ length: 1 + random(6) }, () => {
    const size = least + (random(3) === 0 ? random(1000) : random(LARGEST_REGION / (2 + random(4))));
    const from = random(bytes.length - size);
    const data = bytes.subarray(from, from + size);
    return random(4) === 0 ? data : new Region(data, random(20) === 0);
  });
  const expected = Buffer.concat(chunks.map((chunk) => (chunk instanceof Region ? chunk.data : chunk)));
  const turnsAt = random(stops ? 100_000 : expected.length + 1);
  return { chunks, behaviour, expected, turnsAt };
}

interface Outcome {
  received: number;
  isWrong: boolean;
}

/** Takes an answer as the round says; ends when the socket is closed. */
async function receive(port: number, { behaviour, expected, turnsAt }: Round): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const outcome: Outcome = { received: 0, isWrong: false };
  let hasTurned = false;
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    const from = outcome.received;
    outcome.received += data.length;
    if (!data.equals(expected.subarray(from, from + data.length))) outcome.isWrong = true;
    if (hasTurned || outcome.received < turnsAt) return;
    hasTurned = true;
    turn(socket, behaviour);
  });
  await once(socket, 'close');
  return outcome;
}

/** Connections that are cut may be noticed, and reads may end, a moment later than the peers. */
async function untilReleased(rounds: readonly Round[]): Promise<void> {
  const isHeld = (chunk: Buffer | Region): boolean => chunk instanceof Region && chunk.released === 0;
  while (rounds.some(({ chunks }) => chunks.some(isHeld))) {
    await new Promise<void>((resolve) => systemClock.immediate(resolve));
  }
}

function turn(socket: Socket, behaviour: Behaviour): void {
  if (behaviour === 'ends') socket.destroy();
  if (behaviour === 'resets') socket.resetAndDestroy();
  if (!STOPS.includes(behaviour)) return;
  socket.pause();
  systemClock.schedule(PAUSE_MS, () => (behaviour === 'pauses' ? socket.resume() : socket.resetAndDestroy()));
}

describe('answers over real sockets', () => {
  let server: Server;
  let waiting: Round[] = [];
  let broken = 0;

  beforeAll(async () => {
    server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      const round = waiting.shift()!;
      const events = {
        onProgress: () => undefined,
        onBroken: () => {
          broken++;
          sender.destroy();
          socket.destroy();
        },
      };
      const sender = new AnswerSender(socket, systemClock, events);
      socket.on('error', () => undefined);
      socket.on('close', () => sender.destroy());
      socket.resume();
      sender.send(round.chunks);
      sender.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  it(
    'arrive as they are, whatever others do',
    async () => {
      const { port } = server.address() as AddressInfo;
      let whole = 0;
      for (let from = 0; from < ROUNDS; from += AT_ONCE) {
        const rounds = Array.from({ length: AT_ONCE }, newRound);
        waiting = [...rounds];
        // One behind the other: the server takes the rounds in the order of the connections.
        const outcomes = await Promise.all(rounds.map((round) => receive(port, round)));
        await untilReleased(rounds);
        rounds.forEach(({ chunks, behaviour, expected }, at) => {
          const regions = chunks.filter((chunk): chunk is Region => chunk instanceof Region);
          const { received, isWrong } = outcomes[at]!;
          expect({ isWrong, behaviour }).toEqual({ isWrong: false, behaviour });
          const mustBeWhole = (behaviour === 'reads' || behaviour === 'pauses') && !regions.some(({ isCut }) => isCut);
          if (mustBeWhole) expect(received).toBe(expected.length);
          if (received === expected.length) whole++;
          for (const region of regions) expect(region).toMatchObject({ released: 1, readsAfterRelease: 0 });
        });
      }
      expect(whole).toBeGreaterThan(ROUNDS / 4);
      expect(broken).toBeGreaterThan(0);
      // Where memory of large pieces had been lost, there would be none left.
      const region = new Region(bytes.subarray(0, LARGEST_REGION), false);
      const last: Round = { chunks: [region], behaviour: 'reads', expected: region.data, turnsAt: 0 };
      waiting = [last];
      expect(await receive(port, last)).toEqual({ received: LARGEST_REGION, isWrong: false });
      expect(region.largestRead).toBe(1024 * 1024);
    },
    TIMEOUT_MS,
  );
});
