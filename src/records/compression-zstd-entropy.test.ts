/** Bits and tables of Zstandard: orders, limits, descriptions that do not add up. */
import {
  BackwardBits,
  readHuffmanStream,
  readHuffmanTable,
  readStateTable,
  singleSymbol,
  stateTable,
} from './compression-zstd-entropy';

describe('BackwardBits', () => {
  const bytes = Buffer.from([0b10110100, 0b00000101]);

  it('gives bits from the end, the mark left out', () => {
    const bits = new BackwardBits(bytes, 0, 2);
    expect(bits.left).toBe(10);
    expect([bits.take(2), bits.peek(3), bits.take(3), bits.take(5), bits.left]).toEqual([
      0b01, 0b101, 0b101, 0b10100, 0,
    ]);
  });

  it('gives zeros before the start, and says that it is there', () => {
    const bits = new BackwardBits(bytes, 0, 2);
    expect(bits.take(8)).toBe(0b01101101);
    expect([bits.peek(4), bits.take(4), bits.left]).toEqual([0, 0, -2]);
    expect(bits.take(5)).toBe(0);
  });

  it('takes many bits at once', () => {
    const bits = new BackwardBits(Buffer.from([1, 2, 3, 4, 1]), 0, 5);
    expect(bits.take(31)).toBe(0x04030201 >>> 1);
    expect(bits.take(1)).toBe(1);
  });

  it('needs its end', () => {
    expect(() => new BackwardBits(Buffer.from([1, 0]), 0, 2)).toThrow('without its end');
    expect(() => new BackwardBits(bytes, 1, 1)).toThrow('without its end');
  });
});

describe('state tables', () => {
  it('give each symbol as many states as it has counts', () => {
    const { symbols, bits } = stateTable([16, 8, 7, -1], 5);
    const counts = [0, 0, 0, 0];
    for (const symbol of symbols) counts[symbol]!++;
    expect(counts).toEqual([16, 8, 7, 1]);
    expect([...new Set([...bits].filter((_, state) => symbols[state] === 0))]).toEqual([1]);
    expect(bits[symbols.indexOf(3)]).toBe(5);
  });

  it('of one symbol take no bits', () => {
    expect(singleSymbol(7)).toMatchObject({ accuracy: 0, symbols: Uint8Array.of(7), bits: Uint8Array.of(0) });
  });

  it('are refused when their description does not add up', () => {
    const read = (bytes: number[], mostAccuracy = 9) =>
      readStateTable(Buffer.from(bytes), { start: 0, end: bytes.length }, { mostAccuracy, mostSymbols: 36 });
    expect(() => read([0x0f], 9)).toThrow('too large');
    expect(() => read([0x00])).toThrow('does not add up');
    expect(() => read([0x30, 0x00, 0x00, 0x00])).toThrow('does not add up');
  });
});

describe('Huffman trees', () => {
  /** Weights 2 and 1, the third is 1 by itself: codes of 1, 2 and 2 bits. */
  const tree = Buffer.from([129, 0x21]);

  it('have the last weight left out', () => {
    const { table, next } = readHuffmanTable(tree, 0, 2);
    expect(next).toBe(2);
    expect(table).toEqual({ mostBits: 2, symbols: Uint8Array.of(1, 2, 0, 0), bits: Uint8Array.of(2, 2, 1, 1) });
  });

  it('read streams to their last bit', () => {
    const { table } = readHuffmanTable(tree, 0, 2);
    // 1 00 01 1 behind the mark: 0, 1, 2, 0.
    const stream = Buffer.from([0b01100011]);
    const out = new Uint8Array(4);
    readHuffmanStream(stream, { start: 0, end: 1 }, { table, out, from: 0, to: 4 });
    expect([...out]).toEqual([0, 1, 2, 0]);
    const read = (to: number) => () =>
      readHuffmanStream(stream, { start: 0, end: 1 }, { table, out: new Uint8Array(9), from: 0, to });
    expect(read(3)).toThrow('too long');
    expect(read(5)).toThrow('too short');
  });

  it.each([
    ['nothing', []],
    ['cut off', [130, 0x21]],
    ['no leaves', [129, 0x00]],
    ['too deep', [129, 0xf0]],
    ['no power of two left', [129, 0x31]],
  ])('refuses %s', (_, bytes) => {
    expect(() => readHuffmanTable(Buffer.from(bytes), 0, bytes.length)).toThrow(/tree/i);
  });
});
