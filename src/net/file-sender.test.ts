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

  it('ends with as many bytes as a segment has, until a read has to wait again', () => {
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }));
    sender.onColdRead();
    let calls = 0;
    for (; sender.wants(MEGABYTE); calls++) {
      const { region, calls: started } = regionOf(MEGABYTE);
      sender.send(region, 0, () => undefined);
      started[0]?.then(MEGABYTE / 2);
    }
    expect(calls).toBe(2048);
    sender.onColdRead();
    expect(sender.wants(MEGABYTE)).toBe(true);
  });

  it('leaves alone what is encrypted, closed or has no descriptor, and regions that cannot', () => {
    const cannot = [{}, { _handle: null }, { _handle: { fd: -1 } }, { _handle: { fd: 7 }, encrypted: true }];
    for (const socket of cannot) {
      const sender = new FileSender(socketWith(socket));
      sender.onColdRead();
      expect(sender.wants(MEGABYTE)).toBe(false);
    }
    const sender = new FileSender(socketWith({ _handle: { fd: 7 } }));
    sender.onColdRead();
    const { sendTo: _, ...plain } = regionOf(MEGABYTE).region;
    expect(sender.send(plain, 0, () => undefined)).toBe(false);
    expect([sender.isBusy, sender.wants(MEGABYTE)]).toEqual([false, false]);
  });
});
