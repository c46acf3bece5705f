/** What Node's exceptions are taken for. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { inflateFailureOf } from './inflate-failure';

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('inflateFailureOf', () => {
  it('tells too much from malformed', () => {
    const packed = gzipSync(Buffer.alloc(1000));
    expect(inflateFailureOf(thrownBy(() => gunzipSync(packed, { maxOutputLength: 999 })))).toBe('too-large');
    expect(inflateFailureOf(thrownBy(() => gunzipSync(packed.subarray(0, 12))))).toBe('corrupt');
    expect(inflateFailureOf('anything else')).toBe('corrupt');
  });
});
