/**
 * Log directories of a real process: moves between them through `kill -9`, topics that come, go and move at once, and
 * the same requests and tools against a real Kafka with two directories.
 */
import { type Checks, commandExists, runChecks } from '../checks';
import { compareWithKafka } from './beside-kafka';
import { runKills } from './kills';
import { runStress } from './stress';

async function suite(checks: Checks): Promise<void> {
  await checks.check('kill -9 in the midst of moves between log directories', async () => {
    const { midway, records } = await runKills();
    console.log(`        ${midway} kills before the last move had ended, ${records} records at the end`);
    if (midway === 0) throw new Error('no kill came in time');
  });
  await checks.check('topics come, go, move, are written and read at once', async () => {
    const { requests, moves } = await runStress();
    console.log(`        ${requests} requests, ${moves} moves`);
    if (moves === 0) throw new Error('nothing moved');
  });
  if (commandExists('java') && commandExists('mvn')) await compareWithKafka(checks);
  else checks.skip('log directories beside a real Kafka', 'java or mvn is not installed');
}

runChecks(suite);
