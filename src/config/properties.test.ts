/** Java's format of properties. */
import fc from 'fast-check';
import { formatProperties, parseProperties } from './properties';

function entries(source: string): [string, string][] {
  return [...parseProperties(source)];
}

describe('parseProperties', () => {
  it('takes =, : and white space as separators and drops the white space around them', () => {
    expect(entries('a=1\nb : 2\nc 3\n  d  =  4 \ne=\nf')).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4 '],
      ['e', ''],
      ['f', ''],
    ]);
  });

  it('keeps further separators in the value', () => {
    expect(entries('listeners=PLAINTEXT://:9092,B://h:1\nx==1')).toEqual([
      ['listeners', 'PLAINTEXT://:9092,B://h:1'],
      ['x', '=1'],
    ]);
  });

  it('skips blank lines and comments, also in continuation', () => {
    expect(entries('# a=1\n\n ! b=2\r\nc=3\\\n   #4')).toEqual([['c', '3#4']]);
  });

  it('joins lines that end in an odd number of backslashes', () => {
    expect(entries('a=1,\\\n   2,\\\r\n\t3\nb=c\\\\\nd=e')).toEqual([
      ['a', '1,2,3'],
      ['b', 'c\\'],
      ['d', 'e'],
    ]);
  });

  it('resolves escapes', () => {
    expect(entries('a\\ b\\=c=x\\ty\\nz\\u00e9\\q')).toEqual([['a b=c', 'x\ty\nzéq']]);
  });

  it('lets the last of equal keys count', () => {
    expect(entries('a=1\na=2')).toEqual([['a', '2']]);
  });

  it('reads back whatever formatProperties wrote', () => {
    const key = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, fc.string({ unit: 'grapheme' })), { selector: ([k]) => k }), (pairs) => {
        expect(entries(formatProperties(pairs))).toEqual(pairs);
      }),
      { numRuns: 300 },
    );
  });
});
