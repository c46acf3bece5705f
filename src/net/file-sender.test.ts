/** When regions are sent past this process: after a cold read, on a plain socket, while it takes them. */
import { Writable } from 'node:stream';
import type { FileRegion, RegionStretch } from '../base/chunk';
import { FileSender } from './file-sender';

const MEGABYTE = 1024 * 1024;

function socketWith(fields: { _handle?: { fd: number } | null; encrypted?: boolean }): Writable {
  return Object.assign(new Writable(), fields);
}

interface Call extends RegionStretch {
  readonly socket: number;
  readonly then: (sent: number) => void;
}

function regionOf(length: number): { region: FileRegion; calls: Call[] } {
  const calls: Call[] = [];
  const region = {
    length,
    read: () => Promise.reject(new Error('not asked for')),
    release: () => undefined,
    sendTo: (socket: number, stretch: RegionStretch, then: (sent: number) => void) => {
      calls.push({ socket, ...stretch, then });
      return true;
    },
  };
  return { region, calls };
}

describe('file sender', () => {
  it('begins when a read had to wait, and asks for half a megabyte a call', () => {
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }));
    expect(sender.wants(MEGABYTE)).toBe(false);
    sender.onColdRead();
    expect([sender.wants(MEGABYTE), sender.wants(1000)]).toEqual([true, false]);
    const { region, calls } = regionOf(MEGABYTE);
    const sent: number[] = [];
    expect(sender.send(region, 100, (bytes) => sent.push(bytes))).toBe(true);
    expect(calls).toMatchObject([{ socket: 7, offset: 100, count: MEGABYTE / 2 }]);
    expect([sender.isBusy, sent]).toEqual([true, []]);
    calls[0]?.then(MEGABYTE / 2);
    expect([sender.isBusy, sent, sender.wants(MEGABYTE)]).toEqual([false, [MEGABYTE / 2], true]);
  });

  it('waits for a write when the socket was full', () => {
    for (const taken of [-1, 1000]) {
      const sender = new FileSender(socketWith({ _handle: { fd: 7 } }));
      sender.onColdRead();
      const { region, calls } = regionOf(MEGABYTE);
      sender.send(region, 0, () => undefined);
      calls[0]?.then(taken);
      expect([sender.isFull, sender.wants(MEGABYTE)]).toEqual([true, false]);
      sender.onWrite();
      expect([sender.isFull, sender.wants(MEGABYTE)]).toEqual([false, true]);
    }
  });

  it.each([
    ['a single page', 0, 16],
    ['less than a quarter', 0.24, 16],
    ['100 MB, then nothing', 1, 128],
  ])('goes on while much comes from the disk: %s', (_, share, megabytes) => {
    let diskBytes = 1e9;
    let sentBytes = 0;
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }), () => diskBytes);
    sender.onColdRead();
    while (sender.wants(MEGABYTE)) {
      const { region, calls: started } = regionOf(MEGABYTE);
      sender.send(region, 0, () => undefined);
      started[0]?.then(MEGABYTE / 2);
      sentBytes += MEGABYTE / 2;
      if (sentBytes <= 100 * MEGABYTE) diskBytes += (share * MEGABYTE) / 2;
      // Whatever else is read meanwhile, and waits, is part of it.
      if (sender.wants(MEGABYTE)) sender.onColdRead();
    }
    expect(sentBytes / MEGABYTE).toBe(megabytes);
    sender.onColdRead();
    expect(sender.wants(MEGABYTE)).toBe(true);
  });

  it('leaves room for direct writes while nothing is cold, full or under way', () => {
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }), () => 0);
    expect([sender.mayWriteDirectly, sender.descriptor]).toEqual([true, 7]);
    sender.onColdRead();
    expect(sender.mayWriteDirectly).toBe(false);
    const { region, calls } = regionOf(16 * MEGABYTE);
    for (let at = 0; at < 32; at++) {
      sender.send(region, (at * MEGABYTE) / 2, () => undefined);
      expect(sender.mayWriteDirectly).toBe(false);
      calls[at]?.then(at === 31 ? 10 : MEGABYTE / 2);
    }
    expect(sender.mayWriteDirectly).toBe(false);
    sender.onWrite();
    expect(sender.mayWriteDirectly).toBe(true);
  });

  it('leaves alone what is encrypted, closed or has no descriptor, and regions that cannot', () => {
    const cannot = [{}, { _handle: null }, { _handle: { fd: -1 } }, { _handle: { fd: 7 }, encrypted: true }];
    for (const socket of cannot) {
      const sender = new FileSender(socketWith(socket));
      sender.onColdRead();
      expect([sender.wants(MEGABYTE), sender.descriptor]).toEqual([false, -1]);
      expect(new FileSender(socketWith(socket)).mayWriteDirectly).toBe(false);
    }
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }));
    sender.onColdRead();
    const { sendTo: _, ...plain } = regionOf(MEGABYTE).region;
    expect(sender.send(plain, 0, () => undefined)).toBe(false);
    expect([sender.isBusy, sender.wants(MEGABYTE)]).toEqual([false, false]);
  });
});
