/** Lent bytes are free for others when the system has taken an answer with them, and not before. */
import { Writable } from 'node:stream';
import { systemClock } from '../base/clock';
import { lendBytes } from '../base/lent-bytes';
import { settle } from '../testing/manual-clock';
import { AnswerSender } from './answer-sender';

/** Unlike those of other tests, or memory of theirs would come back here. */
const BYTES = 23_456;

function senderTo(write: (done: () => void) => void): AnswerSender {
  const socket = new Writable({ write: (_chunk, _encoding, done) => write(done) });
  return new AnswerSender(socket, systemClock, { onProgress: () => undefined, onBroken: () => undefined });
}

/** Whether the memory of `lent` is given to someone else. */
function isFree(lent: Buffer): boolean {
  return lendBytes(BYTES).buffer === lent.buffer;
}

it('frees them when they went out at once', async () => {
  const lent = lendBytes(BYTES);
  senderTo((done) => done()).send([lent]);
  expect(isFree(lent)).toBe(false);
  await settle();
  expect(isFree(lent)).toBe(true);
});

it('keeps them while the peer does not read', async () => {
  const lent = lendBytes(BYTES);
  let take: () => void = () => undefined;
  senderTo((done) => {
    take = done;
  }).send([lent]);
  await settle();
  expect(isFree(lent)).toBe(false);
  take();
  await settle();
  expect(isFree(lent)).toBe(true);
});

it('leaves those of a connection that was cut to the garbage collector', async () => {
  const lent = lendBytes(BYTES);
  const sender = senderTo(() => undefined);
  sender.send([lent]);
  sender.destroy();
  await settle();
  expect(isFree(lent)).toBe(false);
});
