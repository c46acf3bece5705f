/**
 * The bench's C programs, compiled when they are first asked for and kept in `.cache/bench`, by their sources, so that
 * a changed source is compiled anew. Needs a C compiler, `cc`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../../compat-tests/checks';

const BENCH = path.join(__dirname, '..');
const CACHE = path.join(BENCH, '..', '..', '.cache', 'bench');

/** `load/load.c` or `limit/limit.c`, ready to run: its path. */
export async function cProgram(name: 'load' | 'limit'): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['load', name].map((part) => path.join(BENCH, part))) {
    for (const file of readdirSync(folder).sort()) {
      if (/\.[ch]$/.test(file)) hash.update(readFileSync(path.join(folder, file)));
    }
  }
  const program = path.join(CACHE, hash.digest('hex').slice(0, 16), name);
  if (existsSync(program)) return program;
  mkdirSync(path.dirname(program), { recursive: true });
  const partial = `${program}.${process.pid}`;
  await run('cc', ['-O2', '-Wall', '-o', partial, path.join(BENCH, name, `${name}.c`)]);
  renameSync(partial, program);
  return program;
}
