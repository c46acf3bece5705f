/** The layer rules complain about what they are meant to: small trees that break them, cruised with the real rules. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');
const CRUISER = path.join(ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');

let tree: string;

beforeEach(() => {
  tree = mkdtempSync(path.join(tmpdir(), 'odradek-layers-'));
  // In a real folder, as in a checkout: what is reached through a link has another path to the rules.
  for (const name of ['long', 'koffi', 'echarts']) {
    const folder = path.join(tree, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
    writeFileSync(path.join(folder, 'index.js'), '');
  }
  writeFileSync(path.join(tree, 'package.json'), '{"dependencies": {"long": "*", "koffi": "*"}}');
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

/** The names of the rules that `files` (path → text) break. */
function broken(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    writeFileSync(path.join(tree, name), text);
  }
  const config = path.join(ROOT, '.dependency-cruiser.cjs');
  const folders = ['src', 'tools'].filter((name) => existsSync(path.join(tree, name)));
  const { stdout } = spawnSync(process.execPath, [CRUISER, '--config', config, ...folders], {
    cwd: tree,
    encoding: 'utf8',
  });
  return [...stdout.matchAll(/^\s*error (\S+):/gm)].map(([, rule]) => rule ?? '').sort();
}

it('accepts imports downwards', () => {
  expect(
    broken({
      'src/base/a.ts': 'export const a = 1;',
      'src/codec/b.ts': "import { a } from '../base/a'; export const b = a;",
      'src/log/c.ts': "import { b } from '../codec/b'; export const c = b;",
    }),
  ).toEqual([]);
});

it('refuses imports upwards and across, of types too', () => {
  expect(
    broken({
      'src/log/c.ts': 'export interface C { c: number }',
      'src/base/a.ts': "import type { C } from '../log/c'; export type A = C;",
      'src/coordinator/d.ts': "import type { C } from '../log/c'; export type D = C;",
    }),
  ).toEqual(['layer-base', 'layer-coordinator']);
});

it('refuses cycles, and product code that sees the roots or the tests', () => {
  expect(
    broken({
      'src/base/a.ts': "import { b } from './b'; export const a = b;",
      'src/base/b.ts': "import { a } from './a'; export const b = a;",
      'src/broker.ts': "import './log/c';",
      'src/log/c.ts': "import '../testing/fake'; export const c = 1;",
      'src/log/d.ts': "import '../broker';",
      'src/testing/fake.ts': 'export const fake = 1;',
    }),
  ).toEqual(['layer-log', 'layer-log', 'no-cycles', 'nobody-imports-the-roots', 'roots-import-no-tests']);
});

it('keeps packages and Node modules in their one place, required lazily too', () => {
  expect(
    broken({
      'src/log/a.ts': "import { readFileSync } from 'node:fs'; export const read = readFileSync;",
      'src/log/node-file-system.ts': "import { readFileSync } from 'node:fs'; export const read = readFileSync;",
      'src/log/b.ts': "export const load = () => import('long');",
      'src/codec/int64.ts': "import Long from 'long'; export const zero = Long.ZERO;",
      'src/log/c.ts': "export const load = () => require('koffi');",
      'src/net/d.ts': "import { createServer } from 'node:net'; export const s = createServer;",
      'src/api/e.ts': "import { createServer } from 'node:net'; export const s = createServer;",
      'tools/bench/report/plots.ts': "export const load = () => import('echarts');",
      'tools/bench/f.ts': "export const load = () => import('echarts');",
    }),
  ).toEqual(['one-place-echarts', 'one-place-fs', 'one-place-koffi', 'one-place-long', 'one-place-net']);
});

it('knows every folder', () => {
  expect(broken({ 'src/broker.ts': "import './extras/a';", 'src/extras/a.ts': 'export const a = 1;' })).toEqual([
    'known-layers',
  ]);
});
