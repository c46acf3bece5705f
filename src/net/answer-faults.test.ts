/**
 * Answers over real sockets while peers stop reading, end and reset, and files end early: whoever stays gets every byte
 * as it is, nobody gets a wrong one, each region is released once, and all memory comes back.
 * ANSWER_ROUNDS=10000 for a long run; ANSWER_SEED for another one.
 */
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FileRegion, RegionStretch } from '../base/chunk';
import { systemClock } from '../base/clock';
import { type Around, unmapAll, writeMapped } from '../base/mapped-writes';
import { loadNativeLibrary } from '../base/native-library';
import { sendFile } from '../base/send-file';
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

const folder = mkdtempSync(path.join(tmpdir(), 'odradek-answers-'));
const file = openSync(path.join(folder, 'whole'), 'w+');
writeSync(file, bytes);
const wholeFile = {};
let sentFromFile = 0;
let writtenFromFile = 0;
let writtenFromCutFiles = 0;
const canSendFiles = process.platform === 'linux' && typeof loadNativeLibrary() !== 'string';

type Behaviour = 'reads' | 'pauses' | 'ends' | 'resets' | 'stops and resets';
const BEHAVIOURS: readonly Behaviour[] = ['reads', 'reads', 'pauses', 'ends', 'resets', 'stops and resets'];

const STOPS: readonly Behaviour[] = ['pauses', 'stops and resets'];

/** A region of `bytes` whose reads give all at once, a part, or nothing, and later the rest, or less than the rest. */
class Region implements FileRegion {
  released = 0;
  readsAfterRelease = 0;
  largestRead = 0;
  #file: number | undefined;

  constructor(
    readonly data: Buffer,
    readonly isCut: boolean,
  ) {}

  get length(): number {
    return this.data.length;
  }

  /** Bytes from its start that are always there. */
  get whole(): number {
    return this.isCut ? Math.floor(this.length / 2) : this.length;
  }

  /** By the system, from a file with the same bytes, of which the second half goes when it is cut. */
  sendTo(socket: number, { offset, count }: RegionStretch, then: (sent: number) => void): boolean {
    const stretch = this.isCut
      ? { file: this.#ownFile(), position: offset, count }
      : { file, position: this.data.byteOffset - bytes.byteOffset + offset, count };
    if (this.released > 0) this.readsAfterRelease++;
    const started = sendFile(socket, stretch, (sent) => {
      if (sent > 0) sentFromFile += sent;
      then(sent);
    });
    if (this.isCut) ftruncateSync(stretch.file, this.whole);
    return started;
  }

  /** From the mapped file, cut as above, now and then of no use. */
  writeTo(socket: number, { offset, count, around }: RegionStretch & { around: Around }): number {
    if (this.released > 0) this.readsAfterRelease++;
    if (random(8) === 0) return 0;
    if (!this.isCut) {
      const position = this.data.byteOffset - bytes.byteOffset + offset;
      const written = writeMapped(socket, { owner: wholeFile, descriptor: file }, { position, count, around });
      writtenFromFile += written;
      return written;
    }
    const own = { owner: this, descriptor: this.#ownFile() };
    const written = writeMapped(socket, own, { position: offset, count, around });
    writtenFromCutFiles += written;
    ftruncateSync(own.descriptor, this.whole);
    return written;
  }

  #ownFile(): number {
    if (this.#file === undefined) {
      const name = path.join(folder, 'cut');
      this.#file = openSync(name, 'w+');
      unlinkSync(name);
      writeSync(this.#file, this.data);
    }
    return this.#file;
  }

  async read(target: Buffer, offset: number): Promise<number> {
    await new Promise<void>((resolve) => systemClock.immediate(resolve));
    return this.readAtOnce(target, offset, Math.max(0, Math.min(target.length, this.whole - offset)));
  }

  readAtOnce(target: Buffer, offset: number, most = [0, 1, target.length, target.length][random(4)]!): number {
    if (this.released > 0) this.readsAfterRelease++;
    this.largestRead = Math.max(this.largestRead, target.length);
    return this.data.copy(target, 0, offset, offset + most);
  }

  release(): void {
    this.released++;
    if (this.#file === undefined) return;
    unmapAll(this);
    closeSync(this.#file);
  }
}

/** All of it is in memory, and read. */
class WarmRegion extends Region {
  override readAtOnce(target: Buffer, offset: number): number {
    return super.readAtOnce(target, offset, target.length);
  }

  override writeTo(): number {
    return 0;
  }
}

interface Round {
  readonly chunks: (Buffer | Region)[];
  readonly behaviour: Behaviour;
  readonly expected: Buffer;
  /**
   * So many of them are certain. What the system sends from a file are the pages themselves: bytes that are cut off
   * while they are on their way become zeros, as they do for Kafka.
   */
  readonly certain: number;
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
  const cutAt = chunks.findIndex((chunk) => chunk instanceof Region && chunk.isCut);
  const upTo = (index: number): number => chunks.slice(0, index).reduce((sum, { length }) => sum + length, 0);
  const certain = cutAt < 0 ? expected.length : upTo(cutAt) + (chunks[cutAt] as Region).whole;
  const turnsAt = random(stops ? 100_000 : expected.length + 1);
  return { chunks, behaviour, expected, certain, turnsAt };
}

interface Outcome {
  received: number;
  isWrong: boolean;
}

/** Takes an answer as the round says; ends when the socket is closed. */
async function receive(port: number, { behaviour, expected, certain, turnsAt }: Round): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const outcome: Outcome = { received: 0, isWrong: false };
  let hasTurned = false;
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    const from = outcome.received;
    outcome.received += data.length;
    const known = data.subarray(0, Math.max(0, certain - from));
    if (outcome.received > expected.length || !known.equals(expected.subarray(from, from + known.length))) {
      outcome.isWrong = true;
    }
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
      // One after the other, so that some come while others are on their way.
      const sendFrom = (at: number): void => {
        const chunk = round.chunks[at];
        if (chunk === undefined) {
          sender.end();
          return;
        }
        sender.send([chunk]);
        systemClock.immediate(() => sendFrom(at + 1));
      };
      sendFrom(0);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    unmapAll(wholeFile);
    closeSync(file);
    rmSync(folder, { recursive: true });
  });

  it(
    'arrive as they are, whatever others do',
    async () => {
      const { port } = server.address() as AddressInfo;
      let whole = 0;
      const before = canSendFiles ? readdirSync('/proc/self/fd').length : 0;
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
      if (canSendFiles) {
        expect(sentFromFile).toBeGreaterThan(ROUNDS * 100_000);
        expect(writtenFromFile).toBeGreaterThan(ROUNDS * 100_000);
        expect(writtenFromCutFiles).toBeGreaterThan(0);
        const maps = readFileSync('/proc/self/maps', 'latin1');
        expect(maps).not.toContain(path.join(folder, 'cut'));
        expect(maps.split(folder).length - 1).toBeLessThanOrEqual(16);
        // But for the peers' ends that are not closed yet.
        expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + AT_ONCE);
      }
      // Where memory of large pieces had been lost, there would be none left.
      const region = new WarmRegion(bytes.subarray(0, LARGEST_REGION), false);
      const last: Round = {
        chunks: [region],
        behaviour: 'reads',
        expected: region.data,
        certain: region.length,
        turnsAt: 0,
      };
      waiting = [last];
      expect(await receive(port, last)).toEqual({ received: LARGEST_REGION, isWrong: false });
      expect(region.largestRead).toBe(1024 * 1024);
    },
    TIMEOUT_MS,
  );
});
