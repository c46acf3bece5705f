/** Finding frames in what people capture: hex and raw, with lengths and without, with marks and wrapped. */
import { capturedFrames } from './captured-frames';

function hexFrames(input: string | Buffer): (string | undefined)[][] {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  return capturedFrames(bytes).map(({ bytes: frame, direction }) => [direction, frame.toString('hex')]);
}

const LONG = '00'.repeat(20);

describe('capturedFrames', () => {
  it.each([
    ['one frame with its length', '00000005 0102030405', [[undefined, '0102030405']]],
    ['one frame without', '0102030405\n', [[undefined, '0102030405']]],
    [
      'two in a line',
      '00000004 01020304 00000005 0102030405',
      [
        [undefined, '01020304'],
        [undefined, '0102030405'],
      ],
    ],
    [
      'a line each, without lengths',
      '01020304\n0102030405\n',
      [
        [undefined, '01020304'],
        [undefined, '0102030405'],
      ],
    ],
    ['over lines', '00000005 01\n02030405', [[undefined, '0102030405']]],
    [
      'over lines of one width, without a length',
      `ff${LONG}\n${LONG}00\n0102`,
      [[undefined, `ff${LONG}${LONG}000102`]],
    ],
    [
      'marks',
      '> 01020304\n<05060708',
      [
        ['request', '01020304'],
        ['response', '05060708'],
      ],
    ],
    [
      'a mark for several',
      '> 01020304\n05060708',
      [
        ['request', '01020304'],
        ['request', '05060708'],
      ],
    ],
    [
      'ways of writing hex',
      '0x01, 0x02, 0X03:04 # not 05\r\n\r\n0A0B0C0D',
      [
        [undefined, '01020304'],
        [undefined, '0a0b0c0d'],
      ],
    ],
    [
      'a cut-off end',
      '00000004 01020304 00000009 01',
      [
        [undefined, '01020304'],
        [undefined, '0000000901'],
      ],
    ],
    ['nothing', '', []],
    ['only a comment', '# nothing', []],
  ])('%s', (_, text, frames) => {
    expect(hexFrames(text)).toEqual(frames);
  });

  it('raw bytes', () => {
    const bytes = Buffer.from('0000000401020304000000050102030405', 'hex');
    expect(hexFrames(bytes)).toEqual([
      [undefined, '01020304'],
      [undefined, '0102030405'],
    ]);
    expect(hexFrames(bytes.subarray(4, 8))).toEqual([[undefined, '01020304']]);
  });

  it('says which line is no hex', () => {
    expect(() => hexFrames('0102\n> hello')).toThrow('line 2 is not an even number of hex digits');
    expect(() => hexFrames('010')).toThrow('line 1');
  });
});
