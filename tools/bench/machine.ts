/** What figures were measured with: the machine, its system and the versions of all that took part. */
import { readFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import path from 'node:path';
import { run } from '../../compat-tests/checks';
import { KAFKA_VERSION } from './candidates';
import { LIBRDKAFKA_VERSION } from './loads/rdkafka-program';

export interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly memoryGigabytes: number;
  readonly kernel: string;
  /** Under the data directories. */
  readonly fileSystem: string;
}

/** Name → version. */
export type Versions = Readonly<Record<string, string>>;

/** The file system's type, from the mount table's longest mount point that leads to the folder. */
export function fileSystemOf(folder: string, mounts: string): string {
  const points = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', kind = '']) => ({ point: point === '/' ? '/' : `${point}/`, kind }))
    .filter(({ point, kind }) => kind !== '' && `${folder}/`.startsWith(point));
  return points.sort((a, b) => a.point.length - b.point.length).at(-1)?.kind ?? 'unknown';
}

export function machine(): Machine {
  return {
    cpus: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    fileSystem: fileSystemOf(tmpdir(), readFileSync('/proc/self/mounts', 'utf8')),
  };
}

export async function versions(): Promise<Versions> {
  const { version } = JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8'));
  const java = /\b(\d+(?:\.\d+)*)\b/.exec(await run('java', ['--version']))?.[1] ?? 'unknown';
  return {
    Odradek: String(version),
    'Node.js': process.versions.node,
    'Apache Kafka': KAFKA_VERSION,
    Java: java,
    librdkafka: LIBRDKAFKA_VERSION,
  };
}
