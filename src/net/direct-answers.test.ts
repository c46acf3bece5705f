/** Regions that go past the socket's stream: in order with all else, only while the peer keeps up, some a turn. */
import { Writable } from 'node:stream';
import fc from 'fast-check';
import type { Chunk, FileRegion, RegionStretch } from '../base/chunk';
import { systemClock } from '../base/clock';
import type { Around } from '../base/mapped-writes';
import { settle } from '../testing/manual-clock';
import { AnswerSender } from './answer-sender';

const LARGE = 64 * 1024;
const MEGABYTE = 1024 * 1024;

/** A socket with two ways in. It takes writes of its stream at once, or when it is told to. */
class Sink extends Writable {
  _handle: { fd: number } | null = { fd: 7 };
  encrypted = false;
  isSlow = false;
  readonly parts: Buffer[] = [];
  readonly ways: string[] = [];
  /** How many bytes the next calls past the stream take; all, beyond these. */
  room: number[] = [];
  #pending: (() => void)[] = [];

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#add(
      'stream',
      chunks.map(({ chunk }) => chunk),
    );
    if (this.isSlow) this.#pending.push(done);
    else done();
  }

  takeOne(): void {
    this.#pending.shift()?.();
  }

  writeDirectly(socket: number, parts: Buffer[]): number {
    if (socket !== 7 || this.#pending.length > 0 || this.writableLength > 0) throw new Error('written out of order');
    const all = Buffer.concat(parts);
    const taken = all.subarray(0, this.room.shift() ?? all.length);
    if (taken.length > 0) this.#add('direct', [taken]);
    return taken.length;
  }

  #add(way: string, parts: Buffer[]): void {
    const all = Buffer.concat(parts);
    this.parts.push(all);
    this.ways.push(`${way} ${all.length}`);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

class Region implements FileRegion {
  released = 0;
  readonly length: number;

  constructor(
    private readonly sink: Sink,
    private readonly data: Buffer,
  ) {
    this.length = data.length;
  }

  async read(target: Buffer, offset: number): Promise<number> {
    return this.data.copy(target, 0, offset);
  }

  readAtOnce(target: Buffer, offset: number): number {
    return this.data.copy(target, 0, offset);
  }

  writeTo(socket: number, { offset, count, around }: RegionStretch & { around: Around }): number {
    if (this.released > 0) throw new Error('written after release');
    const part = this.data.subarray(offset, offset + count);
    return this.sink.writeDirectly(socket, [...around.before, part, ...around.after]);
  }

  release(): void {
    this.released++;
  }
}

function senderTo(sink: Sink, onProgress = (): void => undefined): AnswerSender {
  return new AnswerSender(sink, systemClock, {
    onProgress,
    onBroken: (error) => {
      throw error;
    },
  });
}

function bytesFrom(seed: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (at * (seed + 3)) >> 4));
}

/** A sender whose peer has taken a first answer at once. */
async function keepingUp(sink: Sink, onProgress?: () => void): Promise<AnswerSender> {
  const sender = senderTo(sink, onProgress);
  sender.send([Buffer.from('first')]);
  await settle();
  expect(sink.ways.splice(0)).toEqual(['stream 5']);
  sink.parts.splice(0);
  return sender;
}

describe('answers past the stream', () => {
  it('begin when the peer took a write at once, in order with what is before and after', async () => {
    const sink = new Sink();
    const sender = senderTo(sink);
    const [data, text] = [bytesFrom(1, LARGE), Buffer.from('text')];
    const regions = [0, 1, 2, 3].map(() => new Region(sink, data));
    sender.send([text, regions[0]!]);
    await settle();
    sender.send([text, regions[1]!, text, text]);
    sender.send([regions[2]!]);
    await settle();
    sender.send([text]);
    await settle();
    sender.send([regions[3]!]);
    expect(sender.unsentBytes).toBe(LARGE);
    sender.end();
    await new Promise<void>((resolve) => sink.once('finish', resolve));
    expect(sink.ways).toEqual([
      `stream ${4 + LARGE}`,
      `direct ${12 + LARGE}`,
      `direct ${LARGE}`,
      'stream 4',
      `direct ${LARGE}`,
    ]);
    expect(sink.bytes.equals(Buffer.concat([text, data, text, data, text, text, data, text, data]))).toBe(true);
    expect([regions.map(({ released }) => released), sender.unsentBytes]).toEqual([[1, 1, 1, 1], 0]);
  });

  it('go on by the stream when the socket is full, until it keeps up again', async () => {
    const sink = new Sink();
    const sender = await keepingUp(sink);
    const data = bytesFrom(2, MEGABYTE);
    const regions = [new Region(sink, data), new Region(sink, data)];
    sink.room = [1000];
    sink.isSlow = true;
    sender.send([Buffer.from('head'), ...regions]);
    await settle();
    expect(sink.ways).toEqual(['direct 1000', `stream ${MEGABYTE / 4}`]);
    expect(sender.unsentBytes).toBe(4 + 2 * MEGABYTE - 1000);
    sink.takeOne();
    await settle();
    expect(sink.ways.slice(2)).toEqual([`stream ${MEGABYTE / 4}`]);
    sink.isSlow = false;
    sink.takeOne();
    await settle();
    await settle();
    expect(sink.ways.slice(3)).toEqual([
      `stream ${MEGABYTE / 4}`,
      `direct ${MEGABYTE / 4 - 996}`,
      `direct ${MEGABYTE}`,
    ]);
    expect(sink.bytes.equals(Buffer.concat([Buffer.from('head'), data, data]))).toBe(true);
    expect(regions.map(({ released }) => released)).toEqual([1, 1]);
  });

  it('take the stream where a call takes nothing', async () => {
    const sink = new Sink();
    const sender = await keepingUp(sink);
    sink.room = [0, 0];
    sender.send([new Region(sink, bytesFrom(3, 2 * MEGABYTE))]);
    await settle();
    await settle();
    expect(sink.ways).toEqual([`stream ${MEGABYTE}`, `stream ${MEGABYTE}`]);
  });

  it('are none on sockets that are encrypted, closed or have no descriptor', async () => {
    for (const fields of [{ encrypted: true }, { _handle: null }, { _handle: { fd: -1 } }]) {
      const sink: Sink = Object.assign(new Sink(), fields as Partial<Sink>);
      const sender = await keepingUp(sink);
      sender.send([new Region(sink, bytesFrom(4, LARGE))]);
      await settle();
      expect(sink.ways).toEqual([`stream ${LARGE}`]);
    }
  });

  it('keep the order of parts of any size, whatever the socket takes', async () => {
    const size = fc.oneof(fc.nat(300), fc.nat(3 * LARGE), fc.nat(3 * MEGABYTE));
    const part = fc.record({ size, isRegion: fc.boolean(), isNewAnswer: fc.boolean(), isSlow: fc.boolean() });
    const rooms = fc.array(fc.oneof(fc.nat(10), fc.nat(MEGABYTE)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), rooms, async (parts, room) => {
        const sink = new Sink();
        const sender = await keepingUp(sink);
        sink.room = [...room];
        const data = parts.map(({ size: length }, index) => bytesFrom(index, length));
        const regions: Region[] = [];
        const sent: number[] = [];
        for (const [index, { isRegion, isNewAnswer, isSlow }] of parts.entries()) {
          let chunk: Chunk = data[index]!;
          if (isRegion) chunk = regions[regions.push(new Region(sink, data[index]!)) - 1]!;
          const upTo = Buffer.concat(data.slice(0, index + 1)).length;
          sender.send([chunk], {
            onSent: () => {
              expect(sink.bytes.length).toBeGreaterThanOrEqual(upTo);
              sent.push(index);
            },
          });
          sink.isSlow = isSlow;
          if (!isNewAnswer) continue;
          await settle();
          sink.takeOne();
        }
        sender.end();
        const finished = new Promise<void>((resolve) => sink.once('finish', resolve));
        sink.isSlow = false;
        for (let turn = 0; turn < 4; turn++) {
          await settle();
          sink.takeOne();
        }
        await finished;
        expect(sink.bytes.equals(Buffer.concat(data))).toBe(true);
        expect([sent, sender.unsentBytes]).toEqual([data.map((_, index) => index), 0]);
        for (const { released } of regions) expect(released).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it('are some megabytes a turn at most, all connections together', async () => {
    const log: string[] = [];
    const senders: [AnswerSender, Sink][] = [];
    for (let reader = 0; reader < 5; reader++) {
      const sink = new Sink();
      senders.push([await keepingUp(sink, () => log.push(`reader ${reader}`)), sink]);
    }
    log.length = 0;
    for (const [sender, sink] of senders) sender.send([new Region(sink, Buffer.alloc(MEGABYTE))]);
    const [long, itsSink] = senders[0]!;
    long.send([new Region(itsSink, Buffer.alloc(3 * MEGABYTE))]);
    systemClock.endOfTurn(() => {
      log.push('turn');
      systemClock.endOfTurn(() => {
        log.push('turn');
        systemClock.endOfTurn(() => log.push('turn'));
      });
    });
    await settle();
    const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((reader) => `reader ${reader}`);
    // Who has more to send comes behind all others.
    expect(log).toEqual(['turn', a, b, 'turn', c, d, 'turn', e, a, a, a]);
    for (const [{ unsentBytes }] of senders) expect(unsentBytes).toBe(0);
  });

  it('end with a sender that is destroyed when bytes went out', async () => {
    const sink = new Sink();
    let isEnough = false;
    const sender = await keepingUp(sink, () => {
      if (isEnough) sender.destroy();
    });
    isEnough = true;
    const regions = [0, 1].map(() => new Region(sink, bytesFrom(5, 2 * MEGABYTE)));
    const sent: string[] = [];
    sender.send([regions[0]!], { onSent: () => sent.push('first') });
    sender.send([regions[1]!], { onSent: () => sent.push('second') });
    await settle();
    await settle();
    expect([sink.ways, sent]).toEqual([[`direct ${MEGABYTE}`], []]);
    expect(regions.map(({ released }) => released)).toEqual([1, 1]);
  });
});
