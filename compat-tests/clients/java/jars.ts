/** Kafka's jars, fetched once by Maven into `.cache/kafka-VERSION`. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../checks';

const ROOT = path.join(__dirname, '..', '..', '..');
const FETCH_TIMEOUT_MS = 240_000;

/** The folder with all jars of that version's broker and tools. */
export async function kafkaJars(version: string): Promise<string> {
  const folder = path.join(ROOT, '.cache', `kafka-${version}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  await run(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      path.join(__dirname, 'pom.xml'),
      `-Dkafka.version=${version}`,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${partial}`,
    ],
    { timeoutMs: FETCH_TIMEOUT_MS },
  );
  renameSync(partial, folder);
  return folder;
}
