/** Memory that messages share one after the other: never two writers in one place. */
import { Writer } from './writer';
import { FIRST_SIZE, giveBackArena, takeArena } from './writer-arena';

function messageOf(count: number): Writer {
  const writer = new Writer();
  for (let i = 0; i < count; i++) writer.int8(count % 100);
  return writer;
}

it('is had by one writer at a time, and again only with room for a message', () => {
  const first = takeArena();
  const second = takeArena();
  expect(second.bytes).not.toBe(first.bytes);
  first.at = first.bytes.length - FIRST_SIZE;
  giveBackArena(first);
  expect(takeArena()).toBe(first);
  first.at++;
  giveBackArena(first);
  expect(takeArena()).not.toBe(first);
});

it('keeps messages apart that are written at the same time, after each other, and beyond its end', () => {
  const sizes = [1, 600, 15_000, 3, 40_000, 511, 512];
  const open = sizes.map(messageOf);
  const together = open.map((writer) => writer.finishBuffer());
  const inTurn = sizes.map((count) => messageOf(count).finishBuffer());
  for (const messages of [together, inTurn]) {
    expect(messages.map((message) => message.length)).toEqual(sizes);
    messages.forEach((message, i) => {
      expect(message.every((byte) => byte === sizes[i]! % 100)).toBe(true);
    });
  }
});
