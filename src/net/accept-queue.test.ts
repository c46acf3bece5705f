/** Accepted connections that must wait or are refused: their order, and what becomes of them. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionAdmission } from '../base/transport';
import { ManualClock } from '../testing/manual-clock';
import { AcceptQueue } from './accept-queue';

class FakeSocket extends EventEmitter {
  destroyed = false;

  constructor(readonly name: string) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

let clock: ManualClock;
let served: string[];
let delays: number[];
let refusals: Record<string, number>;
let queue: AcceptQueue;

beforeEach(() => {
  clock = new ManualClock();
  served = [];
  delays = [];
  refusals = {};
  const admission: ConnectionAdmission = {
    delayMs: () => delays.shift() ?? 0,
    refusalMs: (listener, address) => (listener === 'L' ? (refusals[address] ?? 0) : -1),
  };
  queue = new AcceptQueue({
    listenerName: 'L',
    admission,
    clock,
    addressOf: (socket) => (socket as unknown as FakeSocket).name,
    serve: (socket) => served.push((socket as unknown as FakeSocket).name),
  });
});

function add(name: string): FakeSocket {
  const socket = new FakeSocket(name);
  queue.add(socket as unknown as Socket);
  return socket;
}

it('serves at once where nothing must wait, and leaves no handlers behind', () => {
  const socket = add('a');
  expect([served, queue.held, socket.listenerCount('error')]).toEqual([['a'], 0, 0]);
});

it('makes one wait and all behind it, each by what is told when its turn comes', async () => {
  delays = [100, 50, 0];
  const [a, b] = [add('a'), add('b'), add('c')];
  expect([served, queue.held]).toEqual([[], 3]);
  // A peer that gives up meanwhile must not bring the broker down.
  b.emit('error', new Error('reset'));
  await clock.advance(99);
  expect(served).toEqual([]);
  await clock.advance(1);
  expect(served).toEqual(['a']);
  await clock.advance(50);
  expect([served, queue.held, a.destroyed]).toEqual([['a', 'b', 'c'], 0, false]);
});

it('keeps one that is refused for its time, and others pass', async () => {
  refusals = { bad: 1000 };
  const bad = add('bad');
  add('good');
  expect([served, queue.held, bad.destroyed]).toEqual([['good'], 1, false]);
  await clock.advance(1000);
  expect([queue.held, bad.destroyed]).toEqual([0, true]);
  const gone = add('bad');
  gone.destroy();
  expect([queue.held, clock.timerCount]).toEqual([0, 0]);
});

it('lets go of all of them when it closes', () => {
  delays = [0, 100];
  refusals = { bad: 1000 };
  const sockets = [add('bad'), add('a'), add('b')];
  queue.close();
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  expect([queue.held, clock.timerCount, served]).toEqual([0, 0, []]);
});
