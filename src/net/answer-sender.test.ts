/** Bytes leave in order, in few writes, with bounded memory; every file region is released exactly once. */
import { Writable } from 'node:stream';
import fc from 'fast-check';
import type { FileRegion } from '../base/chunk';
import { systemClock } from '../base/clock';
import { settle } from '../testing/manual-clock';
import { AnswerSender } from './answer-sender';

/** A socket that takes writes only when it is told to, or at once. */
class Sink extends Writable {
  readonly batches: Buffer[] = [];
  #pending: (() => void)[] = [];
  readonly #slow: boolean;

  constructor(slow = false) {
    super();
    this.#slow = slow;
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.batches.push(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    if (this.#slow) this.#pending.push(done);
    else done();
  }

  takeOne(): void {
    this.#pending.shift()?.();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.batches);
  }
}

class Region {
  released = 0;
  reads = 0;
  readonly length: number;
  readonly #data: Buffer;
  #gate: Promise<void>;

  constructor(data: Buffer, gate: Promise<void> = Promise.resolve(), length = data.length) {
    this.#data = data;
    this.#gate = gate;
    this.length = length;
  }

  async read(target: Buffer, offset: number): Promise<number> {
    this.reads++;
    await this.#gate;
    if (this.released > 0) throw new Error('read after release');
    return this.#data.copy(target, 0, offset);
  }

  release(): void {
    this.released++;
  }
}

function senderTo(sink: Sink): { sender: AnswerSender; broken: Error[]; progress: () => number } {
  const broken: Error[] = [];
  let progress = 0;
  const sender = new AnswerSender(sink, systemClock, {
    onProgress: () => {
      progress++;
    },
    onBroken: (error) => broken.push(error),
  });
  return { sender, broken, progress: () => progress };
}

describe('answer sender', () => {
  it('tells when the last byte of each answer has gone out', async () => {
    const sink = new Sink(true);
    const { sender } = senderTo(sink);
    const sent: string[] = [];
    const timing = (name: string) => ({ onSent: () => sent.push(name) });
    sender.send([], timing('nothing'));
    sender.send([Buffer.from('a'), new Region(Buffer.from('bc'))], timing('first'));
    sender.send([], timing('nothing after it'));
    sender.send([Buffer.from('d')], timing('second'));
    expect(sent).toEqual(['nothing']);
    for (let write = 0; write < 3; write++) {
      await settle();
      sink.takeOne();
    }
    await settle();
    expect(sent).toEqual(['nothing', 'first', 'nothing after it', 'second']);
    sender.send([Buffer.from('e')], timing('cut'));
    sender.destroy();
    await settle();
    expect(sent).toHaveLength(4);
  });

  it('sends what one turn made ready in one write', async () => {
    const sink = new Sink();
    const { sender, progress } = senderTo(sink);
    sender.send([Buffer.from('a'), Buffer.from('b')]);
    sender.send([Buffer.from('c')]);
    expect(sender.unsentBytes).toBe(3);
    await settle();
    expect(sink.batches.map(String)).toEqual(['abc']);
    expect(sender.unsentBytes).toBe(0);
    expect(progress()).toBe(3);
  });

  it('keeps the order of buffers and regions of any size', async () => {
    const part = fc.record({ size: fc.oneof(fc.nat(300), fc.nat(700_000)), region: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const sink = new Sink();
        const { sender } = senderTo(sink);
        const data = parts.map(({ size }, index) => Buffer.alloc(size, index + 1));
        const chunks = parts.map(({ region }, index) => (region ? new Region(data[index]!) : data[index]!));
        sender.send(chunks);
        sender.end();
        await new Promise<void>((resolve) => sink.once('finish', resolve));
        expect(sink.bytes.equals(Buffer.concat(data))).toBe(true);
        for (const chunk of chunks) if (chunk instanceof Region) expect(chunk.released).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it('reads no more than a piece ahead of a slow socket', async () => {
    const sink = new Sink(true);
    const { sender } = senderTo(sink);
    const region = new Region(Buffer.alloc(1_000_000));
    sender.send([region]);
    await settle();
    expect(region.reads).toBe(1);
    sink.takeOne();
    await settle();
    expect(region.reads).toBe(2);
    expect(region.released).toBe(0);
  });

  it('reads larger pieces for a socket that keeps up, not for one that does not', async () => {
    const sizes = async (sink: Sink): Promise<number[]> => {
      const { sender } = senderTo(sink);
      const region = new Region(Buffer.alloc(3_000_000));
      sender.send([region]);
      for (let turn = 0; turn < 12; turn++) {
        await settle();
        sink.takeOne();
      }
      return sink.batches.map(({ length }) => length);
    };
    const [medium, large] = [256 * 1024, 1024 * 1024];
    expect(await sizes(new Sink())).toEqual([medium, large, large, 3_000_000 - 2 * large - medium]);
    const slow = await sizes(new Sink(true));
    expect([slow.length, Math.max(...slow)]).toEqual([12, medium]);
  });

  it('uses memory again at once when the socket took it, and not before', async () => {
    const held: Buffer[] = [];
    const release: (() => void)[] = [];
    const slow = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        held.push(chunk);
        release.push(done);
      },
    });
    const reads: Buffer[] = [];
    const region = (fill: number): FileRegion => ({
      length: 100_000,
      read: () => Promise.reject(new Error('not needed')),
      readAtOnce: (target) => {
        reads.push(target);
        return target.fill(fill).length;
      },
      release: () => undefined,
    });
    const senders = [new Sink(), new Sink()].map((sink) => senderTo(sink).sender);
    new AnswerSender(slow, systemClock, { onProgress: () => undefined, onBroken: () => undefined }).send([region(1)]);
    for (const sender of senders) sender.send([region(2)]);
    await settle();
    expect(reads).toHaveLength(3);
    expect(reads[1]!.buffer).toBe(reads[2]!.buffer);
    expect(held[0]!.equals(Buffer.alloc(100_000, 1))).toBe(true);
    release[0]?.();
    await settle();
    senders[0]!.send([region(3)]);
    await settle();
    expect(reads[3]!.buffer).toBe(reads[0]!.buffer);
  });

  it('sends some megabytes a turn at most, all connections together, and small answers besides', async () => {
    const log: string[] = [];
    const sink = (name: string): Writable =>
      new Writable({
        writev: (chunks, done) => {
          log.push(`${name} ${chunks.reduce((sum, { chunk }) => sum + (chunk as Buffer).length, 0)}`);
          done();
        },
      });
    const events = { onProgress: () => undefined, onBroken: () => undefined };
    const size = 256 * 1024;
    const head = Buffer.alloc(1);
    const region = (): FileRegion => {
      const data = new Region(Buffer.alloc(size));
      return Object.assign(data, { readAtOnce: (target: Buffer) => target.length });
    };
    for (let reader = 0; reader < 20; reader++) {
      new AnswerSender(sink(`reader ${reader}`), systemClock, events).send([head, region()]);
    }
    new AnswerSender(sink('small'), systemClock, events).send([head, head]);
    systemClock.endOfTurn(() => {
      log.push('turn');
      systemClock.endOfTurn(() => log.push('turn'));
    });
    await settle();
    const readers = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, at) => `reader ${from + at} ${size + 1}`);
    expect(log).toEqual([...readers(0, 8), 'small 2', 'turn', ...readers(8, 16), 'turn', ...readers(16, 20)]);
  });

  it('reads small regions at the same time', async () => {
    const sink = new Sink();
    const { sender } = senderTo(sink);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const regions = [new Region(Buffer.from('one'), gate), new Region(Buffer.from('two'), gate)];
    sender.send(regions);
    await settle();
    expect(regions.map((region) => region.reads)).toEqual([1, 1]);
    open();
    await settle();
    expect(sink.bytes.toString()).toBe('onetwo');
  });

  it('releases each region once when it is destroyed, after a read that is under way', async () => {
    const sink = new Sink();
    const { sender, broken } = senderTo(sink);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const reading = new Region(Buffer.alloc(900_000), gate);
    const untouched = new Region(Buffer.from('never read'));
    sender.send([reading, untouched]);
    await settle();
    sender.destroy();
    expect([reading.released, untouched.released]).toEqual([0, 1]);
    open();
    await settle();
    const late = new Region(Buffer.from('late'));
    sender.send([late]);
    await settle();
    expect([reading.released, untouched.released, late.released]).toEqual([1, 1, 1]);
    expect(sink.bytes.length).toBe(0);
    expect(broken).toEqual([]);
  });

  it('reports a region that ends early or cannot be read', async () => {
    const short = senderTo(new Sink());
    const region = new Region(Buffer.from('abc'), Promise.resolve(), 5);
    short.sender.send([region]);
    await settle();
    expect(short.broken.map(String)).toEqual(['Error: a file region ended 2 bytes early']);
    const failing = senderTo(new Sink());
    failing.sender.send([new Region(Buffer.from('abc'), Promise.reject(new Error('EIO')))]);
    await settle();
    expect(failing.broken.map(String)).toEqual(['Error: EIO']);
  });

  it('reads at once what can be had so, in whole or in part, and the rest as usual', async () => {
    const data = Buffer.from(Array.from({ length: 600_000 }, (_, i) => (i >> 4) & 0xff));
    for (const atOnce of [data.length, 300_000, 1, 0]) {
      const sink = new Sink();
      const { sender, broken } = senderTo(sink);
      const region = new Region(data);
      const instant = Object.assign(region, {
        readAtOnce: (target: Buffer, offset: number) => data.copy(target, 0, offset, Math.max(offset, atOnce)),
      });
      sender.send([instant, Buffer.from('end')]);
      sender.end();
      await new Promise<void>((resolve) => sink.once('finish', resolve));
      expect(sink.bytes.equals(Buffer.concat([data, Buffer.from('end')]))).toBe(true);
      expect([region.released, region.reads, broken]).toEqual([1, atOnce === data.length ? 0 : expect.any(Number), []]);
      if (atOnce < data.length) expect(region.reads).toBeGreaterThan(0);
    }
  });
});
