/** The tables that all schemas make together, and what they say about Kafka's releases. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { handlers } from '../../src/api/generated/handlers';
import { apis } from '../../src/codec/generated/apis';
import { emitCoverage, parseReleases } from './emit-tables';
import { parseApiSchema } from './schema-parser';

const releases = parseReleases(readFileSync(path.resolve(__dirname, '../../protocol/releases.txt'), 'utf8'));

const TEXT = 'api 7 Thing\nversions 0-4\nflexible 3+\nunreleased 4+\nserved\n\nrequest\n\nresponse\n';

describe('coverage', () => {
  it('is a row a key', () => {
    const few = parseReleases('# key, versions of Kafka 3.9.2, versions of Kafka 4.4.0\n7 0-2 -\n');
    expect(emitCoverage([parseApiSchema('t.msg', TEXT)], few).split('\n')).toEqual([
      '| key | name | versions | flexible | Kafka 3.9.2 | Kafka 4.4.0 | handler |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| 7 | Thing | 0–4 (4+ not released) | 3+ | 0–2 |  | 0–3 |',
    ]);
  });

  it('takes ranges of one version and keys that no release has', () => {
    const few = parseReleases('# key, versions of Kafka 4.4.0\n8 1-1\n');
    expect(emitCoverage([parseApiSchema('t.msg', TEXT.replace('served\n', ''))], few)).toMatch(
      /\| 3\+ \| {2}\| {2}\|$/,
    );
    expect(emitCoverage([parseApiSchema('t.msg', TEXT.replace('api 7', 'api 8'))], few)).toMatch(/\| 1 \| 0–3 \|$/);
  });
});

it('every key of both releases is known, up to the newest version that either has released', () => {
  const ours = new Map(Object.values(apis).map((api) => [api.key as number, api.maxVersion as number]));
  const theirs = [...releases.versions].map(([key, ranges]): [number, number] => [
    key,
    Math.max(...ranges.map((range) => range?.high ?? -1)),
  ]);
  expect(new Map(theirs)).toEqual(ours);
  expect(ours.size).toBe(95);
});

it('what is served goes back to the oldest version that either release has', () => {
  for (const { api } of handlers) {
    const ranges = releases.versions.get(api.key) ?? [];
    const oldest = Math.min(...ranges.map((range) => range?.low ?? Number.POSITIVE_INFINITY));
    expect([api.name, api.minVersion]).toEqual([api.name, Math.min(oldest, api.minVersion)]);
  }
});
