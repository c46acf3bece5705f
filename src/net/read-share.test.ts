/** No connection reads more in a turn of the loop than its share, and everyone has a share in each turn. */

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Later } from '../base/later';
import { silentLogger } from '../base/logger';
import { SlabMemory } from '../base/slab-memory';
import type { Answer, ConnectionHandler } from '../base/transport';
import { ManualClock, settle } from '../testing/manual-clock';
import { BusyPoll } from './busy-poll';
import { Connection } from './connection';
import { ReadShare, type TurnReader } from './read-share';
import { RequestMemory } from './request-memory';
import { READ_BYTES } from './socket-input';

const MEGABYTE = 1024 * 1024;

class Reader implements TurnReader {
  isWaitingForTurn = false;
  turns = 0;

  onNextTurn(): void {
    this.turns++;
  }
}

/** A turn of the loop, in which each reads full pieces until it must wait, 32 at most; how many each has read. */
async function turn(share: ReadShare, readers: readonly Reader[]): Promise<number[]> {
  const counts = readers.map((reader) => {
    let pieces = 0;
    for (; pieces < 32 && !reader.isWaitingForTurn; pieces++) share.use(reader, READ_BYTES);
    return pieces;
  });
  await settle(1);
  return counts;
}

describe('the share of a turn', () => {
  it('is all of it for one that reads alone, and is divided among those that read much', async () => {
    const share = new ReadShare(new ManualClock());
    const readers = Array.from({ length: 4 }, () => new Reader());
    expect(await turn(share, readers.slice(0, 1))).toEqual([16]);
    await turn(share, readers);
    expect(await turn(share, readers)).toEqual([4, 4, 4, 4]);
    expect(await turn(share, readers.slice(0, 1))).toEqual([4]);
    expect(await turn(share, readers.slice(0, 1))).toEqual([16]);
  });

  it('is one piece at least, and nobody waits longer than for the next turn', async () => {
    const share = new ReadShare(new ManualClock());
    const readers = Array.from({ length: 100 }, () => new Reader());
    await turn(share, readers);
    expect(new Set(await turn(share, readers))).toEqual(new Set([1]));
    expect(readers.every(({ isWaitingForTurn, turns }) => !isWaitingForTurn && turns === 2)).toBe(true);
  });

  it('is not for small requests', async () => {
    const share = new ReadShare(new ManualClock());
    const [large, small] = [new Reader(), new Reader()];
    for (let i = 0; i < 100_000; i++) share.use(small, 100);
    expect(small.isWaitingForTurn).toBe(false);
    await turn(share, [large]);
    expect(await turn(share, [large])).toEqual([16]);
  });
});

/** A socket that gives `bytes` in pieces as long as somebody reads. */
function socketOf(bytes: Buffer): Socket {
  let at = 0;
  const stream = new Duplex({
    highWaterMark: READ_BYTES,
    read() {
      if (at >= bytes.length) return;
      this.push(bytes.subarray(at, at + READ_BYTES));
      at += READ_BYTES;
    },
    write: (_chunk, _encoding, done) => done(),
  });
  return stream as Socket;
}

function framesOf(text: string, count: number): Buffer {
  const frame = Buffer.alloc(4 + text.length, text);
  frame.writeInt32BE(text.length);
  frame.write(text, 4);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

it('lets connections with megabytes to read be served side by side, turn by turn', async () => {
  const clock = new ManualClock();
  const served = new Map<number, number>();
  const answer: Answer = { chunks: [Buffer.alloc(4)], closeAfter: false, muteMs: 0, frameIsFree: true };
  const handler: ConnectionHandler = {
    open: ({ id }) => ({
      readsAhead: true,
      mayOverlap: () => false,
      serve: () => {
        served.set(id, (served.get(id) ?? 0) + 1);
        return { kind: 0, firstStage: undefined, answer: Later.of(answer) };
      },
      cancelWaits: () => undefined,
    }),
  };
  const shared = {
    handler,
    clock,
    logger: silentLogger,
    memory: new RequestMemory(100 * MEGABYTE),
    readShare: new ReadShare(clock),
    frameMemory: new SlabMemory(),
    maxFrameBytes: MEGABYTE,
    busyPoll: new BusyPoll({ windowMs: 0, clock }),
    onClosed: () => undefined,
  };
  const sockets = [framesOf('x'.repeat(60_000), 200), framesOf('x'.repeat(60_000), 200)].map(socketOf);
  const connections = sockets.map((socket, id) => {
    const info = { id, listenerName: 'L', localAddress: 'a', localPort: 1, peerAddress: 'b', peerPort: id };
    return new Connection({ ...shared, info, socket });
  });
  const counts = (): number[] => connections.map(({ info }) => served.get(info.id) ?? 0);
  for (let turns = 0; turns < 100 && counts().some((count) => count < 200); turns++) {
    const before = counts();
    await settle(1);
    // A share is two megabytes at most, and less from the second turn on.
    const most = Math.max(...counts().map((count, id) => count - before[id]!));
    expect(most).toBeLessThanOrEqual(40);
  }
  expect(counts()).toEqual([200, 200]);
  for (const connection of connections) connection.destroy();
});
