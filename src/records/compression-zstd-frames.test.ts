/** What is taken from the headers of frames and blocks, and what is refused before any decoder sees it. */
import { anyBlock, block, frame } from '../testing/zstd-frame';
import { walkZstdFrames } from './compression-zstd-frames';

describe('walkZstdFrames', () => {
  it('finds frames and what their headers say', () => {
    const known = frame([0x20, 2], block(0, 2, Buffer.from('ab')));
    const unknown = frame(
      [0x00, 0x40],
      anyBlock({ type: 2, size: 9, content: Buffer.alloc(9), last: false }),
      block(1, 70, Buffer.alloc(1)),
    );
    const boundary = known.length;
    expect(walkZstdFrames(Buffer.concat([known, unknown]))).toEqual([
      { start: 0, end: boundary, smallestContent: 2, largestContent: 2 },
      { start: boundary, end: boundary + unknown.length, smallestContent: 0, largestContent: 128 * 1024 + 70 },
    ]);
  });

  it('refuses dictionaries but the number that means none', () => {
    const content = block(0, 1, Buffer.from('a'));
    expect(walkZstdFrames(frame([0x21, 0, 1], content))).toHaveLength(1);
    expect(walkZstdFrames(frame([0x21, 7, 1], content))).toBeUndefined();
    expect(walkZstdFrames(frame([0x23, 0, 0, 0, 1, 1], content))).toBeUndefined();
  });

  it('refuses blocks longer than the window, or than any block may be', () => {
    const run = (size: number): Buffer => block(1, size, Buffer.from('a'));
    expect(walkZstdFrames(frame([0x00, 0x00], run(1024)))).toHaveLength(1);
    expect(walkZstdFrames(frame([0x00, 0x00], run(1025)))).toBeUndefined();
    expect(walkZstdFrames(frame([0x00, 0x58], run(128 * 1024)))).toHaveLength(1);
    expect(walkZstdFrames(frame([0x00, 0x58], run(128 * 1024 + 1)))).toBeUndefined();
  });
});
