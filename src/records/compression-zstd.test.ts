/** Each implementation that this Node.js has, in every direction; limits; frames that are not what they claim. */
import { anyBlock, block, frame } from '../testing/zstd-frame';
import {
  compressZstd,
  decompressZstd,
  loadWasmZstd,
  nodeZstd,
  portableZstd,
  prepareZstd,
  type ZstdImplementation,
} from './compression-zstd';
import { libraryZstd } from './compression-zstd-library';

const text = Buffer.from('a line of a log that repeats itself, '.repeat(9000));
const LIMIT = 1e6;

/** Whether `packed` inflates to `data`; Jest compares large buffers slowly. */
function unpacks(packed: Buffer, data: Buffer, choice?: ZstdImplementation[]): boolean {
  const inflated = decompressZstd(packed, 1e8, choice);
  return inflated.ok && inflated.value.equals(data);
}

describe('zstd', () => {
  const implementations: [string, ZstdImplementation][] = [['portable', portableZstd()]];

  beforeAll(async () => {
    implementations.push(['wasm', await loadWasmZstd()]);
    const node = nodeZstd();
    if (node !== undefined) implementations.push(['node', node]);
    const library = libraryZstd();
    if (library !== undefined) implementations.push(['library', library]);
  });

  it('is packed and unpacked by each for each', () => {
    for (const [from, packer] of implementations) {
      for (const [to, unpacker] of implementations) {
        for (const data of [text, Buffer.from('x'), Buffer.alloc(0), Buffer.alloc(300_000, 1)]) {
          const packed = compressZstd(data, undefined, [packer]);
          expect([from, to, unpacks(packed, data, [unpacker])]).toEqual([from, to, true]);
        }
        if (from !== 'portable') expect(compressZstd(text, 1, [packer]).length).toBeLessThan(text.length / 10);
      }
    }
  });

  it('stops at the limit', () => {
    for (const [name, packer] of implementations) {
      const packed = compressZstd(text, undefined, [packer]);
      for (const [, unpacker] of implementations) {
        expect([name, decompressZstd(packed, text.length, [unpacker]).ok]).toEqual([name, true]);
        expect(decompressZstd(packed, text.length - 1, [unpacker])).toMatchObject({ ok: false, error: 'too-large' });
      }
    }
  });

  it('stops a bomb that does not say how large it is', () => {
    const parts = Array.from({ length: 400 }, (_, i) =>
      anyBlock({ type: 1, size: 128 * 1024, content: Buffer.from([0]), last: i === 399 }),
    );
    const bomb = frame([0x00, 0x58], ...parts);
    for (const [name, unpacker] of [...implementations.filter(([name]) => name !== 'wasm')]) {
      expect([name, decompressZstd(bomb, LIMIT, [unpacker])]).toMatchObject([name, { error: 'too-large' }]);
    }
  });

  it('reads frames one behind the other, and skips skippable ones', () => {
    const skippable = Buffer.from([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]);
    const one = compressZstd(text);
    const all = Buffer.concat([skippable, one, skippable, one]);
    expect(unpacks(all, Buffer.concat([text, text]))).toBe(true);
    expect(decompressZstd(all, LIMIT, [implementations[0]![1]]).ok).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another magic', Buffer.from('not a zstd frame')],
    ['a header cut off', frame([0xe0])],
    ['a block cut off', frame([0x20, 5], block(0, 5, Buffer.from('abc')))],
    ['no last block', frame([0x20, 2], anyBlock({ type: 0, size: 2, content: Buffer.from('ab'), last: false }))],
    ['a reserved block type', frame([0x20, 2], block(3, 2, Buffer.from('ab')))],
    ['a run longer than a block may be', frame([0x00, 0x58], block(1, 131_073, Buffer.from('a')))],
    ['a reserved header bit', frame([0x28, 2], block(0, 2, Buffer.from('ab')))],
    ['a window of 2 GB', frame([0x00, 0xa8], block(0, 2, Buffer.from('ab')))],
    ['a claim that its blocks cannot hold', frame([0xe0, 0, 0, 0, 0, 1, 0, 0, 0], block(0, 2, Buffer.from('ab')))],
    ['garbage in a block', frame([0x20, 50], block(2, 20, Buffer.alloc(20, 0xee)))],
    ['a checksum cut off', frame([0x24, 2], block(0, 2, Buffer.from('ab')))],
  ])('refuses %s', (_what, data) => {
    expect(decompressZstd(data, LIMIT)).toMatchObject({ ok: false, error: 'corrupt' });
    for (const [name, unpacker] of implementations) {
      expect([name, decompressZstd(data, LIMIT, [unpacker])]).toMatchObject([name, { ok: false }]);
    }
  });

  it('uses the next implementation where one does not take so much', async () => {
    const wasm = await loadWasmZstd();
    const large = Buffer.alloc(9 * 1024 * 1024, 3);
    const packed = compressZstd(large, undefined, [wasm, portableZstd()]);
    expect(unpacks(packed, large, [wasm, portableZstd()])).toBe(true);
  });

  it('works before and after it was prepared', async () => {
    expect(unpacks(compressZstd(text), text)).toBe(true);
    await prepareZstd();
    await prepareZstd();
    expect(compressZstd(text).length).toBeLessThan(text.length / 10);
  });
});
