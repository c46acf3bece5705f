/**
 * `node tools/run.js tools/config-facts/main.ts [--write]`: asks Kafka's own classes, of each release in facts.ts, for
 * their settings (Java 17 and Maven are needed) and compares them with `protocol/settings`; `--write` replaces those
 * files. That the tables of `src/config` are like the files is a unit test. Ends with 1 on any difference.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../compat-tests/checks';
import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { factsFile, RELEASES } from './facts';

const QUIET = '-Dorg.slf4j.simpleLogger.defaultLogLevel=off';

async function main(): Promise<void> {
  const isWriting = process.argv.includes('--write');
  for (const version of RELEASES) {
    const words = [QUIET, '-cp', `${await kafkaJars(version)}/*`, path.join(__dirname, 'ConfigFacts.java')];
    const text = await run('java', words);
    const file = factsFile(version);
    if (isWriting) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    } else if (readFileSync(file, 'utf8') !== text) {
      console.log(`${file} is not what Kafka ${version} says`);
      process.exitCode = 1;
    }
    console.log(`${version}: ${text.split('\n').length - 1} settings`);
  }
}

void main();
