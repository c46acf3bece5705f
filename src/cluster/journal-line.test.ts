/** Lines of the journal that are longer than what is read or written at once. */
import { createHash } from 'node:crypto';
import { bytesOf } from './byte-source';
import { encodeLine, JournalLines } from './journal-line';

const ITEMS = Array.from({ length: 3000 }, (_, i) => ({ path: `/a/é${i}`, data: '"}\n'.repeat(i % 40) }));

it('is a checksum and JSON, in no large piece', () => {
  const { parts, sizeInBytes } = encodeLine(7, 'items', ITEMS);
  const line = Buffer.concat(parts).toString();
  const json = JSON.stringify({ number: 7, items: ITEMS });
  expect(line).toBe(`${createHash('sha256').update(json).digest('hex').slice(0, 16)} ${json}\n`);
  expect(sizeInBytes).toBe(Buffer.byteLength(line));
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(64 * 1024);
});

it('is found and checked wherever it begins, and no damage is overlooked', () => {
  const short = Buffer.concat(encodeLine(1, 'items', [{}]).parts);
  const long = Buffer.concat(encodeLine(2, 'items', ITEMS).parts);
  const file = Buffer.concat([short, long, short, Buffer.alloc(100_000)]);
  const lines = new JournalLines(bytesOf(file));
  const starts = [0, short.length, short.length + long.length];
  const ends = starts.map((start) => lines.endOf(start));
  expect(ends).toEqual([short.length - 1, short.length + long.length - 1, 2 * short.length + long.length - 1]);
  for (const [i, start] of starts.entries()) expect(lines.isWhole(start, ends[i]!)).toBe(true);
  expect(lines.endOf(ends[2]! + 1)).toBe(-1);
  for (const at of [short.length, short.length + 16, short.length + 40_000, short.length + long.length - 2]) {
    const damaged = Buffer.from(file);
    damaged[at] = damaged[at]! ^ 1;
    const found = new JournalLines(bytesOf(damaged));
    expect(found.isWhole(starts[1]!, found.endOf(starts[1]!))).toBe(false);
  }
});
