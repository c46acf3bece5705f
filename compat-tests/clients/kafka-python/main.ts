/**
 * Python's kafka 1.4.7, pretending to be of each age from 0.8.2 to 1.0 (`session.py`). Fetched once by pip into
 * `.cache/kafka-python`.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, run, runChecks } from '../../checks';

const CACHE = path.join(__dirname, '..', '..', '..', '.cache', 'kafka-python');
const PACKAGE = 'kafka-python==1.4.7';
const SESSION_TIMEOUT_MS = 100_000;

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('python3')) {
    checks.skip('kafka-python', 'python3 is not installed');
    return;
  }
  if (!existsSync(path.join(CACHE, 'kafka'))) {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', CACHE, PACKAGE]);
  }
  const broker = await startBrokerProcess();
  const script = path.join(__dirname, 'session.py');
  const options = { env: { PYTHONPATH: CACHE }, timeoutMs: SESSION_TIMEOUT_MS };
  const said = await run('python3', ['-W', 'ignore', script, broker.bootstrap], options);
  for (const line of said.trim().split('\n')) {
    await checks.check(line.replace(/^(ok|FAILED) ([^:]*).*$/, '$2'), async () => {
      if (!line.startsWith('ok ')) throw new Error(line);
    });
  }
  await broker.stop();
}

runChecks(suite);
