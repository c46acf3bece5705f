/**
 * librdkafka's own load, `rdkafka_performance`, built once from the sources that the npm package node-rdkafka carries
 * and kept in `.cache`. Needs npm, tar, make and a C compiler, and takes about a minute.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../compat-tests/checks';

const NAME = 'rdkafka_performance';
/** It carries librdkafka 2.12.0. */
const PACKAGE_VERSION = '3.6.1';
export const LIBRDKAFKA_VERSION = '2.12.0';
const FOLDER = path.join(__dirname, '..', '..', '..', '.cache', `librdkafka-${LIBRDKAFKA_VERSION}`);
const LEFT_OUT = ['ssl', 'gssapi', 'curl', 'debug-symbols'].map((part) => `--disable-${part}`);
const BUILD_TIMEOUT_MS = 300_000;

async function build(folder: string): Promise<void> {
  const options = { cwd: folder, timeoutMs: BUILD_TIMEOUT_MS };
  console.error(`librdkafka ${LIBRDKAFKA_VERSION}: built for ${NAME}, once; this takes a minute or two`);
  await run('npm', ['pack', '--silent', `node-rdkafka@${PACKAGE_VERSION}`], options);
  await run('tar', ['xzf', `node-rdkafka-${PACKAGE_VERSION}.tgz`, 'package/deps/librdkafka'], options);
  const sources = path.join(folder, 'package', 'deps', 'librdkafka');
  const inside = { ...options, cwd: sources };
  await run('./configure', LEFT_OUT, inside);
  await run('make', ['-C', 'src', `-j${availableParallelism()}`, 'librdkafka.a'], inside);
  await run('make', ['-C', 'examples', NAME], inside);
  mkdirSync(path.dirname(FOLDER), { recursive: true });
  const partial = `${FOLDER}.${process.pid}`;
  mkdirSync(partial);
  await run('cp', [path.join(sources, 'examples', NAME), partial]);
  renameSync(partial, FOLDER);
}

/** Its path; rejects where it can be neither found nor built. */
export async function rdkafkaProgram(): Promise<string> {
  const program = path.join(FOLDER, NAME);
  if (existsSync(program)) return program;
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-librdkafka-'));
  try {
    await build(folder);
  } catch (error) {
    throw new Error(`${NAME} cannot be had here`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}
