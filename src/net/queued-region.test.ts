/** A region is released once, when nothing reads from it any more. */

import { Writable } from 'node:stream';
import type { FileRegion } from '../base/chunk';
import { FileSender } from './file-sender';
import { QueuedRegion } from './queued-region';

function regionOf(length: number): { region: FileRegion; log: string[]; ends: ((count: number) => void)[] } {
  const log: string[] = [];
  const ends: ((count: number) => void)[] = [];
  const region: FileRegion = {
    length,
    read: (target, offset) => {
      log.push(`read ${offset} ${target.length}`);
      return new Promise((resolve) => ends.push(resolve));
    },
    readAtOnce: (target, offset) => {
      log.push(`at once ${offset} ${target.length}`);
      return target.length / 2;
    },
    sendTo: (_, { offset, count }, then) => {
      log.push(`send ${offset} ${count}`);
      ends.push(then);
      return true;
    },
    writeTo: (_, { offset, count }) => {
      log.push(`write ${offset} ${count}`);
      return count;
    },
    release: () => log.push('release'),
  };
  return { region, log, ends };
}

describe('a queued region', () => {
  it('is released behind the last read', async () => {
    const { region, log, ends } = regionOf(100);
    const queued = new QueuedRegion(region);
    expect(queued.readAtOnce(Buffer.alloc(20))).toBe(10);
    const reads = [queued.read(Buffer.alloc(10)), queued.read(Buffer.alloc(10))];
    queued.over();
    queued.over();
    ends[1]!(10);
    await reads[1];
    expect(log).toEqual(['at once 0 20', 'read 10 10', 'read 20 10']);
    ends[0]!(10);
    await reads[0];
    expect(log.slice(3)).toEqual(['release']);
  });

  it('is released at once when nothing reads', () => {
    const { region, log } = regionOf(100);
    const queued = new QueuedRegion(region);
    queued.over();
    queued.over();
    expect(log).toEqual(['release']);
  });

  it('goes on behind what was sent, and is released when a call that was under way has ended', () => {
    const { region, log, ends } = regionOf(200_000);
    const fileSender = new FileSender(Object.assign(new Writable(), { _handle: { fd: 7 } }));
    const queued = new QueuedRegion(region);
    const sent: number[] = [];
    for (const count of [1000, -1]) {
      expect(queued.sendBy(fileSender, (bytes) => sent.push(bytes))).toBe(true);
      ends.shift()!(count);
    }
    queued.sendBy(fileSender, (bytes) => sent.push(bytes));
    queued.over();
    expect([log, sent]).toEqual([
      ['send 0 200000', 'send 1000 199000', 'send 1000 199000'],
      [1000, -1],
    ]);
    ends.shift()!(10);
    expect([log.slice(3), sent.slice(2)]).toEqual([['release'], [10]]);
  });

  it('leaves it to the caller how far a write went, and offers no more than there is', () => {
    const { region, log } = regionOf(100);
    const queued = new QueuedRegion(region);
    const around = { before: [], after: [] };
    expect(queued.writeTo(7, 60, around)).toBe(60);
    queued.offset = 60;
    expect(queued.writeTo(7, 60, around)).toBe(40);
    expect(log).toEqual(['write 0 60', 'write 60 40']);
  });
});
