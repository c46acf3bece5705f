/** Names in documents, true and untrue. */
import { checkDocument } from './documents';

const there = new Set(['src/log/segment.ts', 'biome.json', 'tools/run.js', 'src/config/README.md']);

function said(text: string): string[] {
  return checkDocument({ path: 'README.md', text }, (path) => there.has(path)).map(
    ({ line, message }) => `${line}: ${message}`,
  );
}

it('accepts what is there, with and without src', () => {
  expect(said('See `log/segment.ts`, `src/log/segment.ts`, `biome.json` and `tools/run.js`.')).toEqual([]);
});

it('leaves patterns and words alone', () => {
  expect(said('`protocol/schemas/NN-name.msg`, `src/api/name.ts`, `x.test.ts`, `group.min.bytes`, `npm test`')).toEqual(
    [],
  );
});

it('complains about what is not', () => {
  expect(said('First line\n`log/gone.ts` and `knip.json`')).toEqual([
    '2: names log/gone.ts, which is not there',
    '2: names knip.json, which is not there',
  ]);
});
