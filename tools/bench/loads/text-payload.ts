/**
 * Text that compresses as text of applications does: lines of JSON like those of a web server's log, each of the same
 * length, the same in every run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LINES = 2000;
const PATHS = ['/', '/orders', '/orders/items', '/customers', '/login', '/static/app.js', '/search', '/health'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X)',
  'curl/8.5.0',
  'Go-http-client/2.0',
];
const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'];
const STATUSES = [200, 200, 200, 201, 204, 304, 404, 500];

/** The minimal standard generator of Park and Miller: the text must be the same everywhere. */
function* chances(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

function line(next: () => number, bytes: number): string {
  const pick = <T>(from: readonly T[]): T => from[next() % from.length]!;
  const entries: string[] = [];
  for (let length = 0; length < bytes; length += entries.at(-1)!.length) {
    const at = new Date(1_700_000_000_000 + (next() % 1e9)).toISOString();
    const client = `10.${next() % 256}.${next() % 256}.${next() % 256}`;
    const request = { method: pick(METHODS), path: pick(PATHS), id: next() % 100_000 };
    const answer = { status: pick(STATUSES), bytes: next() % 20_000, ms: next() % 900 };
    entries.push(JSON.stringify({ at, client, agent: pick(AGENTS), ...request, ...answer }));
  }
  return entries.join('').slice(0, bytes);
}

/** All lines, each of so many bytes. */
export function textPayload(bytes: number): string {
  const state = chances();
  return Array.from({ length: LINES }, () => line(() => state.next().value, bytes)).join('\n');
}

/** A file of such lines for as long as `use` takes. */
export async function withTextPayload<T>(bytes: number, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-payload-'));
  try {
    const file = path.join(folder, 'lines');
    writeFileSync(file, textPayload(bytes));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
