/** Each rule with a file that breaks it and one that does not. */
import { checkFile, checkTests } from './rules';
import { parseUntested } from './untested';

const OPENING = '/** Owns the thing. */\n';

function said(path: string, text: string): string[] {
  return checkFile({ path, text }).map(({ line, message }) => `${line}: ${message}`);
}

describe('one file', () => {
  it('has nothing to say about a clean one', () => {
    expect(said('src/base/thing.ts', `${OPENING}export const a = 1;\n`)).toEqual([]);
  });

  it('limits the length of sources and tests, not of generated code', () => {
    const long = OPENING + 'const a = 1;\n'.repeat(400);
    expect(said('src/base/thing.ts', long)).toEqual(['0: 401 lines, at most 400']);
    expect(said('src/base/thing.test.ts', long)).toEqual([]);
    expect(said('src/base/thing.test.ts', long + long)).toEqual(['0: 802 lines, at most 700']);
    expect(said('src/codec/generated/00-produce.ts', long)).toEqual([]);
  });

  it('limits the length of lines', () => {
    const text = `${OPENING}// ${'x'.repeat(117)}\n// ${'x'.repeat(118)}\n`;
    expect(said('src/base/thing.ts', text)).toEqual(['3: 121 columns, at most 120']);
  });

  it('wants an opening comment, after a shebang too', () => {
    expect(said('src/base/thing.ts', 'export const a = 1;\n')).toEqual([
      '0: opens without a comment that says what it owns',
    ]);
    expect(said('src/main.ts', `#!/usr/bin/env node\n${OPENING}`)).toEqual([]);
  });

  it.each(['src/base/utils.ts', 'src/helpers/thing.ts', 'src/log/common.test.ts', 'src/log/types.ts'])(
    'refuses the empty name of %s',
    (path) => expect(said(path, OPENING)[0]).toMatch(/says nothing about what is inside/),
  );

  it('wants kebab-case', () => {
    expect(said('src/base/serialQueue.ts', OPENING)).toEqual(['0: file names are kebab-case']);
  });

  it('refuses re-exports, except in the package entry', () => {
    const text = `${OPENING}export { a } from './a';\nexport * from './b';\nexport type { C } from './c';\n`;
    expect(said('src/base/thing.ts', text)).toEqual(['2: no re-exports', '3: no re-exports', '4: no re-exports']);
    expect(said('src/index.ts', text)).toEqual([]);
  });

  it('keeps time and chance in their places', () => {
    const text = `${OPENING}const now = Date.now();\nconst text = 'Date.now'; // Date.now\n`;
    expect(said('src/log/thing.ts', text)).toEqual([
      '2: Date.now: time and chance come through base/clock and base/random',
    ]);
    expect(said('src/base/clock.ts', text)).toEqual([]);
    expect(said('src/log/thing.test.ts', text)).toEqual([]);
  });

  it('refuses BigInt', () => {
    expect(said('src/log/thing.ts', `${OPENING}const a = 1n;\nbuffer.readBigInt64BE(0);\n`)).toEqual([
      '2: no BigInt in the broker',
      '3: no BigInt in the broker',
    ]);
  });

  it('refuses notes of unfinished work and exceptions', () => {
    const text = `${OPENING}// TO${'DO'}: later\n// @ts-${'ignore'}\n// biome-${'ignore'} lint: no\n`;
    expect(said('src/log/thing.ts', text)).toEqual([
      '2: no notes of unfinished work',
      '3: no exceptions from the type check',
      '4: no exceptions from the linter',
    ]);
  });

  it('refuses swallowed errors', () => {
    const text = `${OPENING}try { a(); } catch {}\nb().catch(() => {});\ntry { a(); } catch (error) { log(error); }\n`;
    expect(said('src/log/thing.ts', text)).toEqual(['2: an error is swallowed', '3: an error is swallowed']);
  });
});

describe('tests beside sources', () => {
  const source = (path: string, text = `${OPENING}export function f() {}\n`) => ({ path, text });

  it('wants one for code, not for types', () => {
    const files = [source('src/log/code.ts'), source('src/log/shape.ts', `${OPENING}export interface Shape {}\n`)];
    expect(checkTests(files, new Map())).toEqual([
      { path: 'src/log/code.ts', line: 0, message: 'has no test beside it' },
    ]);
    expect(checkTests([...files, source('src/log/code.test.ts')], new Map())).toEqual([]);
  });

  it('takes a listed reason, and refuses one that is not needed', () => {
    const listed = parseUntested('# why\nsrc/log/code.ts  tested by other.test.ts\n');
    expect(checkTests([source('src/log/code.ts')], listed)).toEqual([]);
    expect(checkTests([source('src/log/code.ts'), source('src/log/code.test.ts')], listed)).toHaveLength(1);
    expect(checkTests([], listed)).toHaveLength(1);
  });

  it('wants a reason', () => {
    expect(() => parseUntested('src/log/code.ts\n')).toThrow(/no reason/);
  });
});
